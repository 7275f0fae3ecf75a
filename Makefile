.DEFAULT_GOAL := help

GO ?= go
TOOL := $(GO) tool -modfile=tools/go.mod
GORELEASER ?= $(GO) tool -modfile=tools/release/go.mod goreleaser

.PHONY: help
help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: check
check: fmt tidy vet lint workflows race ## Everything that CI checks

.PHONY: fmt
fmt: ## Fail on files that gofmt would change
	@files=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi

.PHONY: tidy
tidy: ## Fail if go.mod or go.sum are not tidy
	$(GO) mod tidy -diff

.PHONY: vet
vet: ## Run go vet
	$(GO) vet ./...

.PHONY: lint
lint: ## Run golangci-lint
	$(TOOL) golangci-lint run ./...

.PHONY: vulnerabilities
vulnerabilities: ## Fail on calls of dependencies with known vulnerabilities; asks vuln.go.dev
	$(TOOL) govulncheck ./...

.PHONY: workflows
workflows: ## Run actionlint on the workflows
	$(TOOL) actionlint
	$(TOOL) actionlint internal/cli/benchcli/workflow/*.yml

.PHONY: test
test: ## Run the tests
	$(GO) test ./...

.PHONY: race
race: ## Run the tests, with the race detector where it can find something
	.ci/test

# The real programs that tests run, and where they are kept.
TOOLS := $(CURDIR)/.tools
export BENCH_GH ?= $(wildcard $(TOOLS)/gh)
export BENCH_GITHUB_MCP_SERVER ?= $(wildcard $(TOOLS)/github-mcp-server)
export BENCH_OPENCODE ?= $(wildcard $(TOOLS)/node_modules/.bin/opencode)
export BENCH_CLAUDE_CODE ?= $(wildcard $(TOOLS)/node_modules/.bin/claude)
export BENCH_CODEX ?= $(wildcard $(TOOLS)/node_modules/.bin/codex)
export BENCH_MCP_FILESYSTEM ?= $(wildcard $(TOOLS)/node_modules/.bin/mcp-server-filesystem)
export BENCH_NODE ?= $(wildcard $(TOOLS)/node_modules/node/bin/node)
# What pages are held against that are for everybody.
export BENCH_AXE ?= $(wildcard $(TOOLS)/node_modules/axe-core/axe.min.js)
# GitHub's publications, with which the sandbox's answers are compared.
export BENCH_OPENAPI ?= $(wildcard $(TOOLS)/package/generated/api.github.com.json)
export BENCH_GRAPHQL_SCHEMA ?= $(wildcard $(TOOLS)/node_modules/@octokit/graphql-schema/schema.graphql)
export BENCH_GITHUB_WEBHOOKS ?= $(wildcard $(TOOLS)/webhooks/package/generated/api.github.com.json)
OPENAPI := @octokit/openapi@23.0.2
WEBHOOKS := @octokit/openapi-webhooks@12.1.0

.PHONY: clients
clients: ## Install the programs that agents use, for the tests that run them
	mkdir -p $(TOOLS)
	cd tools/clients && $(GO) build -ldflags="-X main.version=0.20.0" -o $(TOOLS)/ tool
	cp tools/npm/package.json $(TOOLS)/
	cd $(TOOLS) && npm install --no-package-lock --no-audit --no-fund
	# The packages are large, and one file of each is needed.
	cd $(TOOLS) && tar -xzf "$$(npm pack --silent $(OPENAPI))" package/generated/api.github.com.json && rm -f octokit-openapi-*.tgz
	mkdir -p $(TOOLS)/webhooks
	cd $(TOOLS)/webhooks && tar -xzf "$$(npm pack --silent $(WEBHOOKS))" package/generated/api.github.com.json && rm -f octokit-openapi-*.tgz

.PHONY: schemas
schemas: ## Make what is embedded of GitHub's publications anew; `make clients` gets them
	$(GO) test ./internal/githubschema -run TestDataAreThoseOfThePublications -update

.PHONY: complete
complete: ## Run the tests with the race detector, and fail on a test that is skipped and not listed in .ci/skips
	.ci/complete

# Of the mutants of each package in PKG (all of .ci/judged without it), on lines
# changed since the commit SINCE, tests of the package and of TESTS must notice
# MIN per cent. After BUDGET the rest is left.
MIN ?= 95
BUDGET ?= 0

.PHONY: mutants
mutants: ## Break PKG on purpose, where it changed since SINCE, and see that tests notice
	BENCH_COMPLETE=1 $(GO) run ./internal/testkit/mutants -judged .ci/judged -equivalent internal/testkit/mutants/equivalent.txt \
		-since '$(SINCE)' -tests '$(TESTS)' -min $(MIN) -budget $(BUDGET) $(PKG)

.PHONY: rules
rules: ## Break each rule of the methodology on purpose, and see that its tests notice
	BENCH_COMPLETE=1 BENCH_RULES=1 $(GO) test -timeout 60m -v -run '^TestATestFailsWhereItsRuleIsBroken$$' ./internal/testkit/housetest

FUZZTIME ?= 30s

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x $$pkg || exit 1; \
		done; \
	done

.PHONY: bench
bench: ## Run the benchmarks behind docs/performance.md
	$(GO) test -run '^$$' -bench . -benchtime 3x ./internal/...

.PHONY: build
build: ## Build bin/bench and bin/bench-app
	$(GO) build -o bin/bench ./cmd/bench
	$(GO) build -o bin/bench-app ./cmd/app

# Everything that a release consists of but for its image, in dist/; nothing is published.
# With SNAPSHOT_HERE_ALONE=true only what runs on linux/amd64 is built.
# What builds images: docker, podman or another that has its commands.
DOCKER ?= docker
IMAGE ?= bench-action:snapshot

.PHONY: image
image: ## Build the action's image, which is the App's too
	$(DOCKER) build --tag $(IMAGE) --build-arg VERSION=$(VERSION) --build-arg GHX_VERSION=$(GHX_VERSION) .

.PHONY: snapshot
snapshot: ## Make what a release publishes: in dist/ archives, checksums, SBOMs; the image, where there is DOCKER
	$(GORELEASER) release --snapshot --clean
	@if command -v $(firstword $(DOCKER)) >/dev/null; then $(MAKE) image; \
	else echo "The image was not built, as there is no $(DOCKER): install it, or call make snapshot DOCKER=podman" >&2; fi

.PHONY: install-check
install-check: ## Install the module, as `go install` does, in an empty root, and try it there
	.ci/install
