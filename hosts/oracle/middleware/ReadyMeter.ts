/**
 * A metric that says whether the oracle was ready at the last readiness check. An alert rule uses it to notify an
 * operator, besides the load balancer that makes the check.
 */
import { Metric } from "effect"

const ready = Metric.gauge("ready", {
  description: "1 when the oracle was ready at the last request of /ready/v1, else 0; a probe has to ask"
})

export const noteReady = (is: boolean) => Metric.update(ready, is ? 1 : 0)
