package app

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// namespace begins the names of all metrics.
const namespace = "bench_app"

// noEvent is the label of deliveries whose event is not in the table: anybody
// could make up any number of others.
const noEvent = "other"

// depthTimeout is how long counting jobs may take.
const depthTimeout = 5 * time.Second

// metrics are what Prometheus collects.
type metrics struct {
	// events are those that have a label of their own.
	events      service.Subscriptions
	registry    *prometheus.Registry
	deliveries  *prometheus.CounterVec
	refused     *prometheus.CounterVec
	jobs        *prometheus.HistogramVec
	commands    *prometheus.CounterVec
	ignored     *prometheus.CounterVec
	redelivered prometheus.Counter
	rateLimit   *prometheus.GaugeVec
}

// newMetrics returns the metrics; depths counts the jobs that wait or run.
func newMetrics(events service.Subscriptions, depths func(context.Context) ([]queue.Depth, error)) *metrics {
	m := &metrics{
		events:   events,
		registry: prometheus.NewRegistry(),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "deliveries_total", Help: "Deliveries of webhooks that were answered with 202, by event and outcome (stored, replayed, ignored).",
		}, []string{"event", "outcome"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "deliveries_refused_total", Help: "Requests to the webhook that were refused, by reason.",
		}, []string{"reason"}),
		jobs: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "job_duration_seconds", Help: "How long attempts at jobs took, by kind and outcome.",
			Buckets: []float64{.01, .05, .25, 1, 5, 30, 120, 600, 1800, 3600, 7200},
		}, []string{"kind", "outcome"}),
		commands: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "commands_total", Help: "Commands in comments and buttons of check runs, by command and what it came to (carried_out, no_permission, mistaken and so on).",
		}, []string{"command", "outcome"}),
		ignored: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "ignored_total", Help: "Deliveries that were handled and led to nothing, by event and reason (talk, bot, edited, broken_settings and so on).",
		}, []string{"event", "why"}),
		redelivered: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "redelivered_total", Help: "Deliveries that GitHub was asked for again because they had not arrived.",
		}),
		rateLimit: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Name: "github_rate_limit_remaining", Help: "What is left of GitHub's rate limit, by installation and resource, as of the last answer.",
		}, []string{"installation", "resource"}),
	}
	m.registry.MustRegister(
		m.deliveries, m.refused, m.jobs, m.commands, m.ignored, m.redelivered, m.rateLimit, depthCollector{depths},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// watch collects how many deliveries wait to be stored.
func (m *metrics) watch(inbox *service.Inbox) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Name: "deliveries_waiting", Help: "Deliveries that wait to be stored.",
	}, func() float64 { return float64(inbox.Waiting()) }))
}

// handler is the page that Prometheus reads.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// delivered counts a request to the webhook.
func (m *metrics) delivered(event string, outcome service.Outcome) {
	event = m.label(event)
	switch outcome {
	case service.Stored, service.Replayed, service.Ignored:
		m.deliveries.WithLabelValues(event, string(outcome)).Inc()
	default:
		m.refused.WithLabelValues(string(outcome)).Inc()
	}
}

// label is that of an event.
func (m *metrics) label(event string) string {
	if !m.events.Event(event) {
		return noEvent
	}
	return event
}

// Count counts what a command came to, or, where there is no command, why an
// event led to nothing. But for the event each text is one of a few.
func (a *App) Count(event, command, outcome string) {
	if command == "" {
		a.metrics.ignored.WithLabelValues(a.metrics.label(event), outcome).Inc()
		return
	}
	a.metrics.commands.WithLabelValues(command, outcome).Inc()
}

// jobEnded counts an attempt at a job.
func (m *metrics) jobEnded(e queue.Ended) {
	m.jobs.WithLabelValues(e.Kind, string(e.Outcome)).Observe(e.Took.Seconds())
}

// depthCollector counts jobs when it is asked.
type depthCollector struct {
	depths func(context.Context) ([]queue.Depth, error)
}

func (depthCollector) desc() *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_jobs", "Jobs that wait or run, by kind.", []string{"kind", "state"}, nil)
}

// Describe tells what is collected.
func (d depthCollector) Describe(to chan<- *prometheus.Desc) { to <- d.desc() }

// Collect counts.
func (d depthCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), depthTimeout)
	defer cancel()
	depths, err := d.depths(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(d.desc(), err)
		return
	}
	for _, depth := range depths {
		to <- prometheus.MustNewConstMetric(d.desc(), prometheus.GaugeValue, float64(depth.Count), depth.Kind, string(depth.State))
	}
}

// depths counts the jobs that wait or run.
func (a *App) depths(ctx context.Context) ([]queue.Depth, error) { return a.queue.Depths(ctx) }

// RateLimit notes what is left of GitHub's rate limit.
func (a *App) RateLimit(installation, resource string, remaining int) {
	a.metrics.rateLimit.WithLabelValues(installation, resource).Set(float64(remaining))
}
