# The page of Tengen on a CPU. Untested.
#
#   docker build -t tengen .
#   docker run --rm -p 127.0.0.1:8361:8361 -v tengen:/home/tengen tengen
#
# It prints the address with its token; open it with 127.0.0.1 instead of the container's name.
FROM python:3.12-slim

RUN useradd --create-home tengen
COPY pyproject.toml constraints.txt README.md LICENSE /source/
COPY src /source/src
RUN pip install --no-cache-dir --constraint /source/constraints.txt '/source[nets]' \
    && rm -rf /source

USER tengen
WORKDIR /home/tengen
# Games, networks and compiled kernels.
VOLUME /home/tengen
EXPOSE 8361
# Without the token the server answers 403, which shows that it is alive.
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s CMD ["python", "-c", \
    "import http.client as h; c = h.HTTPConnection('127.0.0.1', 8361, timeout=4); c.request('GET', '/'); raise SystemExit(c.getresponse().status >= 500)"]
ENTRYPOINT ["tengen", "play", "--no-browser", "--host", "0.0.0.0"]
