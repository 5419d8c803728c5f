"""The style of all pages of reviews, for light and dark screens."""

STYLE = """
:root { color-scheme: light dark; --page: #fbfaf7; --card: #fff; --text: #22262b; --soft: #6b7177;
  --rule: #e3e0d8; --accent: #2f6f8f; --black: #1d1f22; --white: #fdfdfb; --share: #5b6169;
  --lead: #b9cdd7; --line: #2b2e33; --bad: #c2410c; }
@media (prefers-color-scheme: dark) { :root { --page: #16181b; --card: #1e2125; --text: #e4e2dc;
  --soft: #9aa0a6; --rule: #33373d; --accent: #7fb8d3; --share: #aab2bb;
  --lead: #35505e; --line: #e9e6df; --bad: #fb923c; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page);
  max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; }
a { color: var(--accent); } p.note, .soft { color: var(--soft); } p { margin: .3rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; color: var(--soft); white-space: nowrap; } .left { text-align: left; }
tr.mistake td { color: var(--bad); } td.moves { text-align: left; color: var(--soft); }
td.moves { max-width: 24rem; }
svg { display: block; width: 100%; height: auto; } .chart text { font: 11px system-ui, sans-serif; }
.chart .heading { fill: var(--soft); font-weight: 600; font-size: 12px; }
.chart .share { fill: var(--share); opacity: .26; } .chart .lead { fill: var(--lead); }
.chart .line { fill: none; stroke: var(--line); stroke-width: 1.6; stroke-linejoin: round; }
.chart .rule { stroke: var(--rule); fill: none; } .chart .tick { fill: var(--soft); }
.chart .tick { text-anchor: end; } .chart .number { fill: var(--soft); text-anchor: middle; }
.chart .hover { fill: transparent; } .chart .hover:hover { fill: var(--accent); opacity: .15; }
.mistake-black { fill: var(--black); stroke: var(--bad); stroke-width: 2.5; }
.mistake-white { fill: var(--white); stroke: var(--bad); stroke-width: 2.5; }
.boards { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem; }
figure { margin: 0; padding: .8rem; background: var(--card); border: 1px solid var(--rule);
  border-radius: .6rem; } figure:target { border-color: var(--accent); }
figcaption { margin-top: .6rem; font-size: .93rem; } figcaption strong { color: var(--bad); }
"""
