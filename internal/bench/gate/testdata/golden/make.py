"""Makes rows.jsonl and verify_*.json: made-up rows and what they come to.

The figures are computed here in the plainest way, independently of the Go
code, so that the two can be held against each other. Python 3.11, standard
library alone: python3 make.py
"""

import json
import math
import random
import statistics

MODES = ["agent_direct", "ghx"]
THRESHOLDS = {
    "verify_pr": dict(drop=3, valid=95, failure=7, timeout=4, retry=20, samples=3, coverage=70, tokens=10, latency=10, tools=15, cost=10),
    "verify_release": dict(drop=1, valid=96, failure=6, timeout=3, retry=18, samples=5, coverage=75, tokens=12, latency=12, tools=18, cost=15),
}
# id, size, tool calls of the baseline; the one without tool calls has no
# reduction in them.
SCENARIOS = [("issue-close-001", 1.0, 3), ("pr-view-001", 0.6, 0), ("ci-rerun-wf-001", 2.5, 8), ("pr-merge-001", 1.4, 5)]
ERRORS = {
    ("ghx", "pr-merge-001", 1): ("checkpoint_failed", "merged: want true, is false"),
    ("ghx", "pr-merge-001", 2): ("runner_timeout_stalled_session", "no event for 10 s"),
    ("ghx", "pr-merge-001", 3): ("runner_error", "the process timed out"),
    ("ghx", "pr-view-001", 4): ("runner_error", "exit status 1"),
    ("agent_direct", "ci-rerun-wf-001", 2): ("runner_error", "installer"),
    ("agent_direct", "issue-close-001", 6): ("assertion_failed", "no envelope"),
}


def make_rows():
    draw = random.Random(20260225)
    rows = []
    for mode in MODES:
        for scenario, size, tools in SCENARIOS:
            for iteration in range(1, 7):
                factor = (1.0 if mode == "agent_direct" else 0.7) * draw.uniform(0.7, 1.6)
                active = round(900 * size * factor)
                cached = 8000 + 128 * draw.randrange(20)
                error = ERRORS.get((mode, scenario, iteration))
                row = {
                    "timestamp": f"2026-02-25T17:{len(rows):02d}:00.000Z", "run_id": f"made-up-{mode}", "mode": mode,
                    "scenario_id": scenario, "scenario_set": "all", "iteration": iteration, "session_id": f"ses_{len(rows):04d}",
                    "success": error is None, "output_valid": error is None or error[0] == "checkpoint_failed",
                    "latency_ms_wall": round(21000 * size * factor), "latency_ms_agent": round(20000 * size * factor),
                    "sdk_latency_ms": round(2000 * size * factor),
                    "tokens": {"input": active - 100, "output": 80, "reasoning": 20, "cache_read": cached, "cache_write": 0, "total": active + cached},
                    "cost": round(0.004 * size * factor, 6), "tool_calls": round(tools * factor), "api_calls": 0,
                    "internal_retry_count": 0, "external_retry_count": int(iteration == 5),
                    "model": {"provider_id": "openai", "model_id": "gpt-5.3-codex", "mode": None}, "git": {"repo": None, "commit": None},
                    "error": error and {"type": error[0], "message": error[1]},
                }
                if iteration != 6:
                    total, tool = round(18500 * size * factor), round(3500 * size * factor)
                    row["timing_breakdown"] = {
                        "assistant_total_ms": total, "assistant_pre_reasoning_ms": 2500, "assistant_reasoning_ms": total // 3,
                        "assistant_between_reasoning_and_tool_ms": total // 11, "assistant_post_tool_ms": 100 + iteration,
                        "tool_total_ms": tool, "tool_bash_ms": tool - 1, "tool_structured_output_ms": 1, "observed_assistant_turns": 3,
                    }
                rows.append(row)
    return rows


def median(values):
    return statistics.median(values) if values else 0


def percentile(values, p):
    values = sorted(values)
    rank = p / 100 * (len(values) - 1)
    below, above = math.floor(rank), math.ceil(rank)
    return values[below] + (values[above] - values[below]) * (rank - below)


def share(rows, holds):
    return sum(map(holds, rows)) / len(rows) * 100


def failed_in_runner(row):
    return bool(row["error"]) and row["error"]["type"].startswith("runner_")


def timed_out(row):
    if not failed_in_runner(row):
        return False
    return row["error"]["type"] != "runner_error" or any(w in row["error"]["message"].split() for w in ["timeout", "timed", "stall", "stalled"])


def active(row):
    return row["tokens"]["total"] - row["tokens"]["cache_read"]


def latency(row):
    return row["latency_ms_wall"]


def tools(row):
    return row["tool_calls"]


def cost(row):
    return row["cost"]


def reduction(baseline, candidate):
    return (baseline - candidate) / baseline * 100


def mode_summary(mode, rows):
    latencies, actives = list(map(latency, rows)), list(map(active, rows))
    return {
        "mode": mode, "modelSignature": "openai/gpt-5.3-codex/<null>", "runs": len(rows),
        "successRate": share(rows, lambda r: r["success"]), "outputValidityRate": share(rows, lambda r: r["output_valid"]),
        "runnerFailureRate": share(rows, failed_in_runner), "timeoutStallRate": share(rows, timed_out),
        "retryRate": share(rows, lambda r: r["external_retry_count"] > 0),
        "medianLatencyMs": median(latencies), "medianTokensTotal": median([r["tokens"]["total"] for r in rows]),
        "medianTokensActive": median(actives), "medianToolCalls": median(list(map(tools, rows))),
        "p90LatencyMs": percentile(latencies, 90), "p95LatencyMs": percentile(latencies, 95),
        "iqrLatencyMs": percentile(latencies, 75) - percentile(latencies, 25),
        "cvLatency": statistics.pstdev(latencies) / statistics.mean(latencies) * 100,
        "p90TokensActive": percentile(actives, 90), "p95TokensActive": percentile(actives, 95),
        "medianCostUsd": median(list(map(cost, rows))),
    }


def profiling(rows):
    timed = [r["timing_breakdown"] for r in rows if "timing_breakdown" in r]
    names = {
        "medianAssistantTotalMs": "assistant_total_ms", "medianAssistantReasoningMs": "assistant_reasoning_ms",
        "medianAssistantBetweenReasoningAndToolMs": "assistant_between_reasoning_and_tool_ms",
        "medianToolTotalMs": "tool_total_ms", "medianToolBashMs": "tool_bash_ms", "medianAssistantPostToolMs": "assistant_post_tool_ms",
    }
    return {"runsWithProfiling": len(timed)} | {k: median([t[v] for t in timed]) for k, v in names.items()}


def efficiency(rows, least):
    ids = sorted({r["scenario_id"] for r in rows})
    reductions = {m: [] for m in [active, latency, tools, cost]}
    eligible = 0
    for id in ids:
        stable = {m: [r for r in rows if r["scenario_id"] == id and r["mode"] == m and r["success"] and r["output_valid"] and not failed_in_runner(r)] for m in MODES}
        if min(map(len, stable.values())) < least:
            continue
        eligible += 1
        for measure, found in reductions.items():
            b, c = (median(list(map(measure, stable[m]))) for m in MODES)
            if b != 0:
                found.append(reduction(b, c))
    return {
        "minSamplesPerScenarioPerMode": least, "eligibleScenarioCount": eligible, "totalScenarioCount": len(ids),
        "coveragePct": eligible / len(ids) * 100, "tokensComparableScenarioCount": len(reductions[active]),
        "tokensActiveReductionPct": median(reductions[active]), "latencyReductionPct": median(reductions[latency]),
        "toolCallReductionPct": median(reductions[tools]),
        "scenarioWinRateTokensActivePct": sum(r > 0 for r in reductions[active]) / len(reductions[active]) * 100,
    }, min(reductions[cost])


def summary(rows, profile):
    t = THRESHOLDS[profile]
    modes = {m: mode_summary(m, [r for r in rows if r["mode"] == m]) for m in MODES}
    b, c = modes["agent_direct"], modes["ghx"]
    figures, lowest_cost_reduction = efficiency(rows, t["samples"])
    reliability = {
        "successRateDeltaPct": c["successRate"] - b["successRate"], "outputValidityRatePct": c["outputValidityRate"],
        "runnerFailureRatePct": c["runnerFailureRate"], "timeoutStallRatePct": c["timeoutStallRate"], "retryRatePct": c["retryRate"],
    }
    checks = [
        ("reliability_success_rate_non_inferior", reliability["successRateDeltaPct"], ">=", -t["drop"]),
        ("reliability_output_validity", reliability["outputValidityRatePct"], ">=", t["valid"]),
        ("reliability_runner_failure_rate", reliability["runnerFailureRatePct"], "<=", t["failure"]),
        ("reliability_timeout_stall_rate", reliability["timeoutStallRatePct"], "<=", t["timeout"]),
        ("reliability_retry_rate", reliability["retryRatePct"], "<=", t["retry"]),
        ("efficiency_coverage", figures["coveragePct"], ">=", t["coverage"]),
        ("efficiency_tokens_active_reduction", figures["tokensActiveReductionPct"], ">=", t["tokens"]),
        ("efficiency_latency_reduction", figures["latencyReductionPct"], ">=", t["latency"]),
        ("efficiency_tool_call_reduction", figures["toolCallReductionPct"], ">=", t["tools"]),
        ("efficiency_cost_reduction", lowest_cost_reduction, ">=", t["cost"]),
    ]
    checks = [
        {"name": n, "passed": v >= limit if op == ">=" else v <= limit, "value": v, "threshold": limit, "operator": op}
        for n, v, op, limit in checks
    ]
    return {
        "modes": modes, "profiling": {m: profiling([r for r in rows if r["mode"] == m]) for m in MODES},
        "deltaVsAgentDirect": {
            "tokensReductionPct": reduction(b["medianTokensTotal"], c["medianTokensTotal"]),
            "tokensActiveReductionPct": reduction(b["medianTokensActive"], c["medianTokensActive"]),
            "latencyReductionPct": reduction(b["medianLatencyMs"], c["medianLatencyMs"]),
            "toolCallReductionPct": reduction(b["medianToolCalls"], c["medianToolCalls"]),
            "successRateDeltaPct": c["successRate"] - b["successRate"], "outputValidityRatePct": c["outputValidityRate"],
            "costReductionPct": reduction(b["medianCostUsd"], c["medianCostUsd"]),
        },
        "gateV2": {
            "profile": profile, "passed": all(check["passed"] for check in checks),
            "reliability": reliability, "efficiency": figures, "checks": checks,
        },
    }


if __name__ == "__main__":
    made = make_rows()
    with open("rows.jsonl", "w", encoding="utf-8") as f:
        f.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in made)
    for profile in THRESHOLDS:
        with open(f"{profile}.json", "w", encoding="utf-8") as f:
            f.write(json.dumps(summary(made, profile), indent=2) + "\n")
