/**
 * Whether the oracle was ready when it was last asked: for a rule that tells a person, beside the balancer that asks.
 */
import { Metric } from "effect"

const ready = Metric.gauge("ready", {
  description: "1 when the oracle was ready the last time that /ready/v1 was asked, else 0; a probe has to ask"
})

export const noteReady = (is: boolean) => Metric.update(ready, is ? 1 : 0)
