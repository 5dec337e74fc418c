# For Pipecat Cloud, whose base image brings the server that starts `bot(runner_args)`:
#   docker build --platform linux/arm64 -f deploy/pipecat-cloud.Dockerfile -t your-registry/jev-turn:0.1 .
FROM dailyco/pipecat-base:latest

ENV ORT_DISABLE_TELEMETRY=1 UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy
RUN --mount=type=cache,target=/root/.cache/uv \
    --mount=type=bind,source=uv.lock,target=uv.lock \
    --mount=type=bind,source=pyproject.toml,target=pyproject.toml \
    uv sync --locked --no-install-project --no-dev \
      --extra embedded --extra deepgram --extra cartesia --extra postgres
RUN --mount=type=cache,target=/root/.cache/uv \
    --mount=type=bind,source=.,target=/src,rw \
    uv pip install --no-deps /src
COPY bots/duplex.py bot.py
