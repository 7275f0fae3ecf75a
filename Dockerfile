# The action's image: our program, and the programs that agents work with.
#
#   docker build -t bench-action .
#   docker build -t bench-action --build-arg GHX_VERSION=0.8.0 .
#   docker build -t bench-action --build-arg AGENTS="opencode claude-code codex" .
#
# It is that of the App's server too (see compose.yaml for one with PostgreSQL):
#
#   docker run -p 8080:8080 -v bench:/data --entrypoint bench-app bench-action serve

FROM golang:1.26.8-bookworm AS programs
ENV CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false"
WORKDIR /src
# What changes rarely comes first: gh and GitHub's MCP server.
COPY tools/clients/ tools/clients/
RUN cd tools/clients && go build -ldflags="-s -w -X main.version=0.20.0" -o /programs/ tool
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN go build -ldflags="-s -w -X github.com/ghx-dev/bench-action/internal/cli/benchcli.release=${VERSION}" -o /programs/bench-action ./cmd/action \
    && go build -ldflags="-s -w -X github.com/ghx-dev/bench-action/internal/cli/appcli.release=${VERSION}" -o /programs/bench-app ./cmd/app

FROM node:22.23.3-bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates curl git jq ripgrep \
    && rm -rf /var/lib/apt/lists/*
# The agents, of opencode, claude-code and codex those that AGENTS names, and
# pnpm for workspaces that are built here. GHX_VERSION may be empty, because not
# every registry has ghx: then build-command or ghx-command says what is measured.
ARG AGENTS="opencode"
ARG OPENCODE_VERSION=1.18.33
ARG CLAUDE_CODE_VERSION=2.1.197
ARG CODEX_VERSION=0.169.0
ARG PNPM_VERSION=10.34.9
ARG GHX_VERSION=
RUN set -e; packages=""; \
    for agent in ${AGENTS}; do case "${agent}" in \
        opencode) packages="${packages} opencode-ai@${OPENCODE_VERSION}" ;; \
        claude-code) packages="${packages} @anthropic-ai/claude-code@${CLAUDE_CODE_VERSION}" ;; \
        codex) packages="${packages} @openai/codex@${CODEX_VERSION}" ;; \
        *) echo "AGENTS names ${agent}, which is none of opencode, claude-code and codex" >&2; exit 1 ;; \
    esac; done; \
    npm install -g --no-audit --no-fund ${packages} "pnpm@${PNPM_VERSION}" ${GHX_VERSION:+"@ghx-dev/core@${GHX_VERSION}"}; \
    rm -rf /usr/local/lib/node_modules/opencode-ai/node_modules/opencode-* /root/.npm /tmp/*
COPY --from=programs /programs/ /usr/local/bin/
# The program looks at the name that it is called by. The user bench builds what
# is proposed, with a new home each time: it has none that would outlive a build.
RUN ln -s bench-action /usr/local/bin/bench-action-post \
    && ln -s bench-action /usr/local/bin/bench \
    && useradd --no-create-home --home-dir /nonexistent --uid 10001 bench
ENV BENCH_APP_DATA_DIR=/data
# GitHub's runner mounts files that belong to root or to its own user, so it
# starts as root. Agents, and what a pull request brings, run as other users.
ENTRYPOINT ["/usr/local/bin/bench-action"]
