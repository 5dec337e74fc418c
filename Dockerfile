# A bot behind `jev-turn serve`. No key is needed, and nothing is downloaded at run time.
#   docker build -t jev-turn .
#   docker run --rm -p 127.0.0.1:7860:7860 -e JEV_SERVER_TOKEN="$(openssl rand -hex 24)" jev-turn

# Any image with Python 3.11 to 3.13, its venv module and glibc 2.34 or newer.
ARG BASE=docker.io/library/python:3.12-slim-bookworm

FROM ${BASE} AS build
ARG EXTRAS="embedded server deepgram cartesia postgres"
ENV PIP_NO_CACHE_DIR=1 UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_NO_CACHE=1 \
    UV_PROJECT_ENVIRONMENT=/opt/jev UV_PYTHON_DOWNLOADS=never UV_SYSTEM_CERTS=1
RUN python3 -m venv /opt/uv && /opt/uv/bin/pip install --quiet uv==0.13.9
WORKDIR /src
# The dependencies, by the hashes of the lock: this layer is built again only when the lock changes.
COPY pyproject.toml uv.lock ./
RUN /opt/uv/bin/uv sync --quiet --frozen --no-dev --no-install-project \
      --python "$(command -v python3)" $(printf -- '--extra %s ' $EXTRAS)
COPY README.md LICENSE NOTICE ./
COPY LICENSES LICENSES
COPY src src
COPY processors processors
COPY questions questions
RUN /opt/uv/bin/uv sync --quiet --frozen --no-dev --no-editable \
      --python "$(command -v python3)" $(printf -- '--extra %s ' $EXTRAS)

FROM ${BASE}
# Neither compilers nor installers: what the base image brings of them goes too.
RUN python3 -c 'import glob, shutil, sys; \
      [shutil.rmtree(found, ignore_errors=True) for folder in sys.path if folder \
       for name in ("pip", "setuptools", "wheel", "ensurepip") \
       for found in glob.glob(f"{folder}/{name}") + glob.glob(f"{folder}/{name}-*info")]' \
    && rm -f /usr/local/bin/pip* /usr/bin/pip* \
    && mkdir -p /data && chown 10001:10001 /data && chmod 0700 /data
COPY --from=build /opt/jev /opt/jev
COPY bots /app/bots
# /data: the reply list, when no DATABASE_URL names a server.
ENV HOME=/data ORT_DISABLE_TELEMETRY=1 PATH=/opt/jev/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    XDG_STATE_HOME=/data
VOLUME /data
WORKDIR /data
USER 10001:10001
EXPOSE 7860
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["python3", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:7860/healthz', timeout=2)"]
ENTRYPOINT ["jev-turn", "serve", "--host", "0.0.0.0"]
CMD ["/app/bots/duplex.py"]
