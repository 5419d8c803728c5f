"""Surface and chart of the page in headless Chromium, loaded into an empty page."""

import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from browser_helpers import missing

if reason := missing():
    pytest.skip(reason, allow_module_level=True)

import numpy as np
from browser_helpers import User, start_browser
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import tengen.web
from tengen.board import Position
from tengen.view import Layer, Scale, make_layer

PAGE = Path(tengen.web.__file__).parent / "page"
EMPTY_PAGE = b"<!doctype html><link rel=icon href=data:,><title>drawings</title>"
LOAD = """
    const done = arguments[arguments.length - 1];
    document.body.innerHTML =
        "<canvas id=canvas style='width:400px;height:300px'></canvas>" +
        "<svg id=svg style='width:600px;height:200px;display:block'></svg>";
    Promise.all(["/page/surface.js", "/page/chart.js"].map((name) => import(name))).then(
        ([surface, chart]) => {
            Object.assign(window, { surface, chart, canvas: document.getElementById("canvas"),
                svg: document.getElementById("svg"), chosen: [] });
            done("loaded");
        },
        (error) => done(String(error)),
    );
"""
FRAMES = """
    const done = arguments[arguments.length - 1];
    let left = arguments[0];
    const next = () => (left-- > 0 ? window.plainFrame(next) : done(true));
    next();
"""
"""Waits for a number of animation frames."""


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    driver = start_browser(tmp_path_factory.mktemp("drawings"))
    driver.set_script_timeout(60)
    yield driver
    driver.quit()


class ModuleHandler(SimpleHTTPRequestHandler):
    """Serves an empty page as `/`, and the files of the page below `/page/`."""

    def do_GET(self):  # noqa: N802 (the name is given by http.server)
        if self.path != "/":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(EMPTY_PAGE)))
        self.end_headers()
        self.wfile.write(EMPTY_PAGE)

    def log_message(self, *_arguments):
        pass


@pytest.fixture(scope="module")
def modules():
    """The address of a server of the page's modules."""
    handler = partial(ModuleHandler, directory=PAGE.parent)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def page(driver, modules):
    """An empty page with both modules; the console must stay free of errors."""
    driver.get(modules)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    driver.execute_script("window.plainFrame = window.requestAnimationFrame.bind(window)")
    assert driver.execute_async_script(LOAD) == "loaded"
    user = User(driver, modules)
    user.console_errors()
    yield user
    assert user.console_errors() == []


def ask(page, expression, *arguments):
    return page.run(f"return {expression}", *arguments)


# Surface

VALUES = [[0, 1, 2], [None, 4, 1]]


@pytest.mark.parametrize("scale", list(Scale))
@pytest.mark.parametrize("values", [VALUES, [[0, 0]], [[None]], [[-3, 1]], [[2, 3]]])
def test_limits_match_the_layer(page, scale, values):
    grid = np.array([[np.nan if v is None else float(v) for v in row] for row in values])
    found = ask(page, "surface.limitsOf(...arguments)", values, scale.name.lower())
    assert found == pytest.approx(Layer("x", "x", "x", grid, scale).limits())


def test_heights_and_refinement(page):
    heights = ask(page, "surface.heightsOf(...arguments)", VALUES, "sequential")
    assert heights[1][1:4] == [0, 0.25, 0.5]
    assert heights[2][1:4] == [0, 1, 0.25]
    assert heights[0] == heights[3] == [0] * 5
    fine = ask(page, "surface.refine(arguments[0], 3)", heights)
    assert (len(fine), len(fine[0])) == (10, 13)
    assert [row[::3] for row in fine[::3]] == heights


def test_palette_color(page):
    ramp = [[0, 0, 0], [100, 0, 200]]
    for share, color in ((-1, [0, 0, 0]), (0.5, [50, 0, 100]), (2, [100, 0, 200])):
        assert ask(page, "surface.paletteColor(...arguments)", ramp, share) == color


def draw(page, name="bigmove.p1", **options):
    layer = make_layer(name, Position.from_diagram(".....\n.X...\n...O.\n.....\n....."))
    options = {"scale": layer.as_dict()["scale"], "stones": layer.board.tolist(), **options}
    page.run(
        "window.shown = surface.drawSurface(canvas, arguments[0], arguments[1])",
        layer.as_dict()["values"],
        options,
    )
    page.until("return canvas.width === Math.round(400 * devicePixelRatio)")


def frames(page, count=4):
    assert page.driver.execute_async_script(FRAMES, count)


def picture(page):
    """Return the canvas as text after drawing."""
    frames(page)
    return ask(page, "canvas.toDataURL()")


COUNT_COLORS = """
    const { width, height } = canvas;
    const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
    const seen = new Set();
    for (let place = 0; place < pixels.length; place += 4) {
        if (pixels[place + 3] === 255) seen.add(pixels.slice(place, place + 3).join());
    }
    return seen.size;
"""


def colors(page):
    frames(page)
    return page.run(COUNT_COLORS)


def test_draws_a_surface(page):
    draw(page, label="Big move")
    assert colors(page) > 50
    assert ask(page, "canvas.getAttribute('aria-label')") == "Big move"
    assert ask(page, "canvas.tabIndex") == 0


def test_palettes_of_scales_and_themes(page):
    seen = {}
    for name in ("bigmove.p1", "potential", "filter.pf1"):
        for theme in ("light", "dark"):
            draw(page, name, theme=theme)
            seen[name, theme] = picture(page)
            page.run("shown.stop()")
    assert len(set(seen.values())) == 5
    assert seen["bigmove.p1", "light"] == seen["bigmove.p1", "dark"]


def test_rotation(page):
    draw(page)
    first = picture(page)
    canvas = page.driver.find_element(By.ID, "canvas")
    ActionChains(page.driver).drag_and_drop_by_offset(canvas, 60, 20).perform()
    dragged = picture(page)
    assert dragged != first
    canvas.send_keys(Keys.ARROW_LEFT, Keys.ARROW_UP)
    assert picture(page) != dragged
    ActionChains(page.driver).double_click(canvas).perform()
    assert picture(page) == first


def test_update_keeps_the_rotation(page):
    draw(page)
    first = picture(page)
    page.driver.find_element(By.ID, "canvas").send_keys(Keys.ARROW_LEFT)
    turned = picture(page)
    page.run("shown.update(arguments[0])", [[1, 0, 0, 0, 0]] + [[0] * 5] * 4)
    assert picture(page) not in (first, turned)
    values = make_layer(
        "bigmove.p1", Position.from_diagram(".....\n.X...\n...O.\n.....\n.....")
    ).as_dict()["values"]
    page.run("shown.update(arguments[0])", values)
    assert picture(page) == turned


COUNT_FRAMES = """
    window.asked = 0;
    window.requestAnimationFrame = (action) => {
        window.asked += 1;
        return window.plainFrame(action);
    };
"""


def test_vibration_respects_reduced_motion(page):
    page.run(COUNT_FRAMES)
    draw(page, vibrate=True)
    first = ask(page, "canvas.toDataURL()")
    page.until("return canvas.toDataURL() !== arguments[0]", first)
    page.run("shown.stop()")
    frames(page)
    stopped = ask(page, "asked")
    frames(page)
    assert ask(page, "asked") == stopped, "no frames after stop"
    still = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", still)
    draw(page, vibrate=True)
    frames(page)
    resting = ask(page, "asked")
    frames(page)
    assert ask(page, "asked") == resting
    assert colors(page) > 50


# Chart

SERIES = [
    {
        "name": "Black wins",
        "values": [0.5, 0.6, None, 0.4, 0.9],
        "low": 0,
        "high": 1,
        "middle": 0.5,
    },
    {"name": "lead", "values": [0, 2, 3, -1, 12], "middle": 0},
]


def chart(page, series=SERIES, **options):
    page.run(
        """window.shown = chart.drawChart(svg, arguments[0],
            { ...arguments[1], onSelect: (index) => chosen.push(index) })""",
        series,
        options,
    )


@pytest.mark.parametrize(
    ("low", "high", "count", "steps"),
    [
        (0, 1, 4, [0, 0.5, 1]),
        (0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (-7, 23, 4, [0, 10, 20]),
        (0, 240, 8, [0, 50, 100, 150, 200]),
        (3, 3, 4, [3]),
    ],
)
def test_axis_ticks(page, low, high, count, steps):
    assert ask(page, "chart.axisTicks(...arguments)", low, high, count) == steps


def test_ranges_and_segments(page):
    assert ask(page, "chart.rangeOf(arguments[0])", SERIES[0]) == [0, 1]
    assert ask(page, "chart.rangeOf(arguments[0])", SERIES[1]) == [-1, 12]
    assert ask(page, "chart.rangeOf({ values: [] })") == [-1, 1]
    symmetric = "chart.rangeOf({ values: [null, -20, 3], symmetric: true })"
    assert ask(page, symmetric) == pytest.approx([-21, 21])
    assert ask(page, "chart.segments(arguments[0])", SERIES[0]["values"]) == [
        [[0, 0.5], [1, 0.6]],
        [[3, 0.4], [4, 0.9]],
    ]


def test_lines_have_gaps_and_stay_inside(page):
    chart(page, current=3, marks=[{"index": 4, "label": "D4 loses 7", "kind": "black"}])
    assert page.count("#svg polyline") == 3
    assert page.count("#svg polygon") == 3
    assert page.count("#svg .chart-current") == 1
    assert page.text("#svg .chart-mark title") == "D4 loses 7"
    points = ask(
        page, "[...svg.querySelectorAll('polyline')].map((one) => one.getAttribute('points'))"
    )
    places = [tuple(map(float, pair.split(","))) for line in points for pair in line.split()]
    assert all(0 <= x <= 600 and 0 <= y <= 200 for x, y in places)


def test_select_by_click_and_keys(page):
    chart(page)
    svg = page.driver.find_element(By.ID, "svg")
    ActionChains(page.driver).move_to_element(svg).click().perform()
    assert ask(page, "chosen") == [2]
    svg.send_keys(Keys.ARROW_RIGHT, Keys.END, Keys.ARROW_RIGHT, Keys.HOME, Keys.ARROW_LEFT)
    assert ask(page, "chosen") == [2, 3, 4, 4, 0, 0]


def test_tooltip(page):
    chart(page)
    svg = page.driver.find_element(By.ID, "svg")
    ActionChains(page.driver).move_to_element(svg).perform()
    page.until("return svg.textContent.includes('move 2')")
    assert ask(page, "svg.querySelector('g text').textContent") == "move 2   lead 3"
    ActionChains(page.driver).move_to_element(page.driver.find_element(By.ID, "canvas")).perform()
    page.until("return !svg.textContent.includes('move 2')")


def test_tooltip_is_inside_the_chart(page):
    chart(page, [{"name": "a name that fills the whole chart", "values": [1] * 40}])
    svg = page.driver.find_element(By.ID, "svg")
    left = """
        const text = svg.querySelector("g text");
        return text && text.getBoundingClientRect().left - svg.getBoundingClientRect().left;
        """
    for share in (-0.45, 0.0, 0.02, 0.2):
        offset = int(share * svg.size["width"])
        ActionChains(page.driver).move_to_element_with_offset(svg, offset, 0).perform()
        assert page.until(left) >= 1


def test_names_are_escaped(page):
    chart(page, [{"name": "<img src=x onerror=alert(1)>", "values": [1, 2, 3]}])
    svg = page.driver.find_element(By.ID, "svg")
    ActionChains(page.driver).move_to_element(svg).perform()
    page.until("return svg.textContent.includes('<img')")
    assert page.count("#svg img") == 0


def test_empty_and_long_series(page):
    chart(page, [{"name": "none", "values": []}])
    chart(page, [{"name": "one", "values": [0.5], "low": 0, "high": 1}])
    assert page.count("#svg circle") >= 1
    long = json.loads(json.dumps([{"name": "long", "values": list(np.sin(np.arange(400.0)))}]))
    chart(page, long)
    assert len(ask(page, "svg.querySelector('polyline').getAttribute('points')").split()) == 400


def test_no_selection_after_stop(page):
    chart(page)
    page.run("shown.stop()")
    page.driver.find_element(By.ID, "svg").click()
    assert ask(page, "chosen") == []
