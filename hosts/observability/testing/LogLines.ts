/** The log of a host as a log collector reads it: each line an object. */
import { Schema } from "effect"

const Line = Schema.Struct({
  message: Schema.Unknown,
  level: Schema.String,
  timestamp: Schema.String,
  annotations: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
})
export type LogLine = typeof Line.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Line))

/** Fails when a line does not have the log's format. */
export const linesOf = (output: string): ReadonlyArray<LogLine> =>
  output.split("\n").filter((line) => line !== "").map((line) => decode(line))
