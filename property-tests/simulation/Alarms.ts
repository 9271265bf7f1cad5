/** How often a process of this run has raised an alarm. The run's context has a registry of metrics of its own. */
import { Effect, Metric } from "effect"

export const alarmsOf = (name: string): Effect.Effect<number> =>
  Effect.map(
    Metric.snapshot,
    (all) =>
      all.reduce(
        (sum, { attributes, id, ...metric }) =>
          id === "alarms_total" && attributes?.["what"] === name && metric.type === "Counter"
            ? sum + Number(metric.state.count)
            : sum,
        0
      )
  )
