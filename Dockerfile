# Every service of an arena, in one image without privileges: which one runs is the command's affair.
FROM debian:trixie-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3-venv \
 && rm -rf /var/lib/apt/lists/*
COPY wheels /wheels
# 1: pip takes wheels/ and asks nobody.
ARG PIP_NO_INDEX=
ENV PIP_FIND_LINKS=/wheels PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY pyproject.toml hatch_build.py README.md LICENSE /source/
# What changes seldom first: a change of the code alone builds in seconds.
RUN python3 -m venv /opt/knockbox \
 && python3 -c "import tomllib; print(*tomllib.load(open('/source/pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" >/tmp/needs \
 && /opt/knockbox/bin/pip install --requirement /tmp/needs
COPY proto /source/proto
COPY referee /source/referee
COPY workers /source/workers
COPY arena /source/arena
COPY sample_bots /source/sample_bots
RUN /opt/knockbox/bin/pip install --no-deps /source

FROM debian:trixie-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 \
 && rm -rf /var/lib/apt/lists/* \
 && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
COPY --from=build /opt/knockbox /opt/knockbox
ENV PATH=/opt/knockbox/bin:/usr/bin:/bin PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10000:10000
