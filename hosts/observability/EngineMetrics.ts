/** The metrics of Effect's workflow engine, on workers, with descriptions: the engine itself has none. */

export interface EngineMetric {
  /** Without the prefix `effect_cluster_`. */
  readonly name: string
  readonly kind: "gauge" | "histogram"
  readonly labels: ReadonlyArray<string>
  readonly meaning: string
}

export const engineMetrics: ReadonlyArray<EngineMetric> = [
  {
    name: "entities",
    kind: "gauge",
    labels: ["type"],
    meaning: "executions that this process holds in memory, by kind"
  },
  {
    name: "entity_mailbox_size_max",
    kind: "gauge",
    labels: ["type"],
    meaning: "messages that wait for the busiest of them, by kind"
  },
  { name: "runners", kind: "gauge", labels: [], meaning: "workers that are known" },
  { name: "runners_healthy", kind: "gauge", labels: [], meaning: "those of them that give signs of life" },
  {
    name: "shard_release",
    kind: "histogram",
    labels: [],
    meaning: "milliseconds that it took to give up a part of the work, with several workers"
  },
  { name: "shards", kind: "gauge", labels: [], meaning: "of 64 parts of the work, those that this worker has" },
  { name: "shards_releasing", kind: "gauge", labels: [], meaning: "those of them that it is giving up" },
  { name: "singletons", kind: "gauge", labels: [], meaning: "tasks of the engine that run on one worker only" }
]
