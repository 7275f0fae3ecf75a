"""Computes the figures of verdicts by evidence a second time, with SciPy.

    pip install scipy
    python3 internal/testkit/byscipy/evidence.py internal/bench/evidence/testdata/recomputed.json

It shares nothing with the Go code but the definitions: ranks are SciPy's, exact
distributions are convolved here, likelihoods are maximized numerically, means of
pairs are listed, and boundaries are integrated on a fine grid.
"""
import json
import math
import sys

import numpy as np
from scipy import optimize, stats

compared = 0


def same(what, got, want, tolerance=1e-9):
    global compared
    compared += 1
    if got is None or want is None:
        assert got is None and want is None, f"{what}: {got} and {want}"
        return
    assert abs(got - want) <= tolerance * max(1, abs(want)), f"{what}: {got} and {want}"


def bounds(times, spent):
    """Upper bounds of a Brownian motion at the times, by the trapezoidal rule."""
    found, at, density = [], None, None
    for k, t in enumerate(times):
        wanted = spent(t) - (spent(times[k - 1]) if k else 0)
        if k == 0:
            z = stats.norm.isf(wanted)
        else:
            step = t - times[k - 1]
            z = optimize.brentq(lambda z: np.trapezoid(
                density * stats.norm.sf((z * math.sqrt(t) - at) / math.sqrt(step)), at) - wanted, -2, 8, xtol=1e-12)
        new = np.linspace(-9 * math.sqrt(t), z * math.sqrt(t), 3001)
        if k == 0:
            density = stats.norm.pdf(new, scale=math.sqrt(t))
        else:
            density = np.array([np.trapezoid(density * stats.norm.pdf(x - at, scale=math.sqrt(step)), at) for x in new])
        at = new
        found.append(z)
    return found


def all_bounds(looks):
    times = [n / looks[-1] for n in looks]
    spend = lambda a: lambda t: a * math.log(1 + (math.e - 1) * t)
    quadratic = lambda a: lambda t: a * t * t
    b = {"main": bounds(times, quadratic(0.02)), "latency": bounds(times, quadratic(0.01)),
         "pass": bounds(times, spend(0.05)), "interval": bounds(times, spend(0.025))}
    if looks == [2, 4, 6, 8, 10, 12]:  # rounded in the code
        b = {name: [round(z, 4) for z in zs] for name, zs in b.items()}
    return b


def signed_rank_z(d):
    """The z of Pratt's signed-rank test that d lies above 0."""
    d = np.asarray(d)
    ranks = stats.rankdata(np.abs(d))[d != 0]
    signs = np.sign(d[d != 0])
    if len(ranks) == 0:
        return 0.0
    if len(d) > 60:
        return float((ranks * signs).sum() / math.sqrt((ranks**2).sum()))
    doubled = np.rint(2 * ranks).astype(int)
    chance = np.array([1.0])
    for r in doubled:
        chance = np.convolve(chance, np.concatenate([[0.5], np.zeros(r - 1), [0.5]]))
    w = int(doubled[signs > 0].sum())
    upper, lower = chance[w:].sum(), chance[:w].sum()
    if upper <= 0.5:
        return float(stats.norm.isf(upper))
    return float(stats.norm.ppf(max(lower, 0.5 ** len(ranks))))


def walsh(d):
    i, j = np.triu_indices(len(d))
    d = np.sort(np.asarray(d))
    return np.sort((d[i] + d[j]) / 2)


def rank_interval(d, bound):
    n = len(d)
    if n > 60:
        mean = n * (n + 1) / 4
        cut = math.floor(mean - bound * math.sqrt(mean * (2 * n + 1) / 6)) + 1
    else:
        chance = np.array([1.0])
        for r in range(1, n + 1):
            chance = np.convolve(chance, np.concatenate([[0.5], np.zeros(r - 1), [0.5]]))
        cut = int((np.cumsum(chance) <= stats.norm.sf(bound)).sum())
    if cut < 1:
        return None
    means = walsh(d)
    return means[cut - 1], means[len(means) - cut]


def constrained(c, b, n, drop):
    """The likeliest rates of which the candidate's is lower by drop."""
    lo, hi = max(0, drop), min(1, 1 + drop)
    def score(p):  # the derivative of the log-likelihood by the baseline's rate
        q, s = p - drop, 0.0
        s += c / q if c else 0
        s -= (n - c) / (1 - q) if n - c else 0
        s += b / p if b else 0
        s -= (n - b) / (1 - p) if n - b else 0
        return s
    eps = 1e-13
    if hi - lo < 3 * eps:
        p = (lo + hi) / 2
    elif score(lo + eps) <= 0:
        p = lo
    elif score(hi - eps) >= 0:
        p = hi
    else:
        p = optimize.brentq(score, lo + eps, hi - eps, xtol=1e-15)
    return p - drop, p


def not_worse_z(tables, drop):
    top = variance = 0.0
    for c, b, n in tables:
        pc, pb = constrained(c, b, n, drop)
        top += drop - (b - c) / n
        variance += (pc * (1 - pc) + pb * (1 - pb)) / n * 2 * n / (2 * n - 1)
    return top / math.sqrt(variance) if variance > 1e-12 else 0.0


def harm_z(tables):
    top = variance = 0.0
    for c, b, n in tables:  # hypergeometric, of the baseline's successes
        top += b - (b + c) / 2
        variance += n * n * (b + c) * (2 * n - b - c) / ((2 * n) ** 2 * (2 * n - 1))
    return top / math.sqrt(variance) if variance > 1e-12 else 0.0


def success_interval(tables, bound):
    drop = np.mean([(b - c) / n for c, b, n in tables])
    ends = []
    for wanted, end in ((bound, 1 - 1e-12), (-bound, -1 + 1e-12)):
        f = lambda x: not_worse_z(tables, x) - wanted
        inner = end * (1 - 1e-6)  # at the very end nothing varies
        ends.append(end if abs(drop) >= 1 - 1e-6 and drop * end > 0 else optimize.brentq(f, drop, inner, xtol=1e-14))
    return -100 * ends[0], -100 * ends[1]


def pct(log):
    return 100 * math.expm1(max(-6 * math.log(10), min(log, 6 * math.log(10))))


class Look:
    def __init__(self, scenarios, n, verdict, look, number, limits):
        self.n, self.limits, self.k, self.margins = n, limits, number, verdict["margins"]
        self.claim = verdict["profile"] == "claim"
        self.sound, self.void = {}, {}
        for name, blocks in scenarios.items():
            sound, void = [], []
            for b in sorted(blocks, key=lambda b: b["Iteration"]):
                if len(sound) < n:
                    (void if b["Baseline"]["Void"] or b["Candidate"]["Void"] else sound).append(b)
            if len(sound) < n:
                raise EOFError
            self.sound[name], self.void[name] = sound, void
        self.ids = sorted(self.sound)
        self.all = [b for i in self.ids for b in self.sound[i]]
        self.tables = {i: self.table(self.sound[i]) for i in self.ids}
        sides = [b[s] for b in self.all for s in ("Baseline", "Candidate")]
        unpriced = any(s["CostUSD"] <= 0 and s["TokensTotal"] > 0 for s in sides) or not any(s["CostUSD"] > 0 for s in sides)
        self.measures = ["TokensTotal" if unpriced else "CostUSD", "LatencyMS"]
        m = self.margins
        if self.claim:
            low = [math.log1p(-m["minCostReductionPct"] / 100), math.log1p(-m["minLatencyReductionPct"] / 100)]
            self.tested = [(x, x) for x in low]
        else:
            self.tested = [(0.0, math.log(m["costRatio"])), (0.0, math.log(m["latencyRatio"]))]
        self.d = [{i: self.differences(i, key) for i in self.ids} for key in self.measures]

    def table(self, blocks):
        return (sum(b["Candidate"]["Success"] for b in blocks), sum(b["Baseline"]["Success"] for b in blocks), len(blocks))

    def differences(self, name, key):
        values = [(b["Baseline"][key], b["Candidate"][key]) for b in self.sound[name]]
        positive = [v for pair in values for v in pair if v > 0]
        floor = min(positive) if positive else 1
        return [math.log(max(c, floor)) - math.log(max(b, floor)) for b, c in values]

    def pooled(self, k, without=None):
        return [x for i in self.ids if i != without for x in self.d[k][i]]

    def tests(self, without=None):
        tables = [self.tables[i] for i in self.ids if i != without]
        found = [(harm_z(tables), self.limits["main"][self.k], not_worse_z(tables, self.margins["successDropPct"] / 100))]
        for k, limit in ((0, "main"), (1, "latency")):
            harm, margin = self.tested[k]
            d = np.array(self.pooled(k, without))
            found.append((signed_rank_z(d - harm), self.limits[limit][self.k], signed_rank_z(-(d - margin))))
        return found

    def noise(self, k):
        off = [abs(x - np.median(v)) for v in self.d[k].values() for x in v]
        return 1.4826 * math.sqrt(self.n / (self.n - 1)) * np.median(off)

    def harmed(self):
        alpha = 0.01 / len(self.ids)
        found = set()
        for i in self.ids:
            c, b, n = self.tables[i]
            p = stats.fisher_exact([[c, n - c], [b, n - b]], alternative="less").pvalue
            if (b - c) / n > self.margins["successDropPct"] / 100 and p < alpha:
                found.add(i)
            for k in (0, 1):
                limit = stats.norm.isf(alpha) * 1.2533 * self.noise(k) / math.sqrt(self.n)
                if np.median(self.d[k][i]) > max(limit, self.tested[k][1]):
                    found.add(i)
        return found

    def word(self, without=None):
        blocks = len(self.all) + sum(map(len, self.void.values()))
        void = {s: sum(bool(b[s]["Void"]) for v in self.void.values() for b in v) for s in ("Baseline", "Candidate")}
        if sum(t[1] for t in self.tables.values()) == 0 or blocks - len(self.all) > 0.2 * blocks:
            return "inconclusive"
        tests, bound = self.tests(without), self.limits["pass"][self.k]
        if any(h >= limit and nw < bound for h, limit, nw in tests):
            return "fail"
        if any(nw < bound for _, _, nw in tests) or abs(void["Baseline"] - void["Candidate"]) > 0.05 * blocks:
            return "inconclusive"
        tables = []
        for i in self.ids:
            one_sided = [b for b in self.void[i] if not (b["Baseline"]["Void"] and b["Candidate"]["Void"])]
            c, b, n = self.tables[i]
            if i != without:
                tables.append((c + sum(not x["Candidate"]["Void"] and x["Candidate"]["Success"] for x in one_sided),
                               b + sum(not x["Baseline"]["Void"] and x["Baseline"]["Success"] for x in one_sided), n + len(one_sided)))
        if not_worse_z(tables, self.margins["successDropPct"] / 100) < bound or self.harmed() - {without}:
            return "inconclusive"
        return "pass"


def check(case):
    v, looks = case["evidence"], case["evidence"]["schedule"]
    assert looks == [n for n in range(case["first"], case["last"], 2)] + [case["last"]]
    limits = all_bounds(looks)
    scenarios = {}
    for b in case["blocks"]:
        scenarios.setdefault(b["Scenario"], []).append(b)
    last = None
    for number, want in enumerate(v["looks"]):
        last = Look(scenarios, looks[number], v, want, number, limits)
        for t, (harm, limit, not_worse) in zip(want["tests"], last.tests()):
            same("harm z", t["harm"]["z"], harm)
            same("harm bound", t["harm"]["bound"], limit, 2e-6)
            same("not worse z", t["notWorse"]["z"], not_worse, 1e-8)
            same("not worse bound", t["notWorse"]["bound"], limits["pass"][number], 2e-6)
        assert want["verdict"] == last.word(), (want["verdict"], last.word())
    assert v["verdict"] == last.word()
    bound = limits["interval"][last.k]
    success, cost, latency = v["endpoints"]
    tables = list(last.tables.values())
    same("success", success["change"], -100 * np.mean([(b - c) / n for c, b, n in tables]))
    for got, want in zip(success["interval"], success_interval(tables, bound)):
        same("interval of success", got, want, 1e-6)
    for k, e in ((0, cost), (1, latency)):
        d = last.pooled(k)
        same("change", e["change"], pct(np.median(walsh(d))))
        interval = rank_interval(d, bound)
        assert (interval is None) == (e["interval"] is None)
        for got, want in zip(e["interval"] or [], interval or []):
            same("interval", got, pct(want))
        limit = limits["main" if k == 0 else "latency"][last.k]
        reachable = 0.5 ** len(d) <= stats.norm.sf(limit)
        want = None
        if reachable and interval is not None:
            deviation = (interval[1] - interval[0]) / 2 / bound
            want = pct(last.tested[k][0] + (limit + stats.norm.isf(0.2)) * deviation)
        same("detectable", e["detectable"], want, 1e-5)
    for s in v["scenarios"]:
        c, b, n = last.tables[s["id"]]
        assert (s["candidateSuccesses"], s["baselineSuccesses"]) == (c, b)
        same("success of a scenario", s["success"]["change"], 100 * (c - b) / n)
        for got, want in zip(s["success"]["interval"], success_interval([(c, b, n)], bound)):
            same("interval of a scenario's success", got, want, 1e-6)
        for k, e in ((0, s["cost"]), (1, s["latency"])):
            d = np.array(last.d[k][s["id"]])
            same("median of a scenario", e["change"], pct(np.median(d)))
            half = stats.t.isf(stats.norm.sf(bound), n - 1) * d.std(ddof=1) / math.sqrt(n)
            same("lower", e["interval"][0], pct(min(d.mean() - half, np.median(d))), 1e-5)
            same("upper", e["interval"][1], pct(max(d.mean() + half, np.median(d))), 1e-5)
        assert s["without"] == last.word(s["id"]), (s["id"], s["without"], last.word(s["id"]))
        assert bool(s.get("harmed")) == (s["id"] in last.harmed())
    for side in ("Baseline", "Candidate"):
        total = v[side.lower()]
        same("cost in total", total["costUsd"], sum(b[side]["CostUSD"] for b in last.all))
        same("time in total", total["latencyMs"], sum(b[side]["LatencyMS"] for b in last.all))
        assert total["solved"] == sum(b[side]["Success"] for b in last.all)
    for e, key in zip(v["described"], ("costUsd", "tokensTotal", "tokensActive", "latencyMs")):
        b, c = v["baseline"][key], v["candidate"][key]
        same("ratio of totals", e["totalPct"], 100 * (c / b - 1) if b > 0 and c > 0 else None, 1e-8)
    return v["verdict"]


if __name__ == "__main__":
    words = [check(case) for case in json.load(open(sys.argv[1]))]
    print(f"{len(words)} verdicts ({', '.join(words)}): {compared} figures agree")
