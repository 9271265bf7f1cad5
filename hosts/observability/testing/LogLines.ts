/** The log of a host as a collector of logs reads it: each line an object. */
import { Schema } from "effect"

const Line = Schema.Struct({
  message: Schema.Unknown,
  level: Schema.String,
  timestamp: Schema.String,
  annotations: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
})
export type LogLine = typeof Line.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Line))

/** Fails when a line is not of the log's shape. */
export const linesOf = (output: string): ReadonlyArray<LogLine> =>
  output.split("\n").filter((line) => line !== "").map((line) => decode(line))
