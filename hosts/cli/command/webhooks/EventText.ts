/** A webhook's event as one line for people. */
import { Option, Schema } from "effect"
import { formatDecimal } from "../../../../src/domain/money/Decimal.ts"
import { visible } from "../../../../src/domain/timeline/DisplayText.ts"

const Event = Schema.fromJsonString(Schema.Struct({
  event: Schema.String,
  id: Schema.String,
  sequence: Schema.Int,
  timestamp: Schema.Int,
  data: Schema.Record(Schema.String, Schema.Json)
}))
/** What the service sends. */
export type Event = typeof Event.Type

/** Undefined for the event of another version. */
export const eventIn = (body: string): Event | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Event)(body))

const USDC_DECIMALS = 6

const usdc = (value: Schema.Json | undefined): string =>
  typeof value === "string" && /^-?\d{1,30}$/u.test(value)
    ? `${formatDecimal(BigInt(value), USDC_DECIMALS, 2)} USDC`
    : "?"

/** What happened, and to which request or wallet. */
const subjectOf = ({ data, event, id }: Event): string => {
  const { available, status, threshold, wallet } = data
  if (typeof status === "string") return `${status.padEnd(10)}  ${id}`
  if (typeof wallet === "string") return `${event}: ${usdc(available)} is below ${usdc(threshold)} of ${wallet}`
  return `${event}  ${id}`
}

/** `answered`: what the receiver said, where it was handed on. Undefined where it was not. */
export const eventText = (event: Event, answered: number | null | undefined): string => {
  const time = new Date(event.timestamp).toISOString().slice(11, 19)
  const handed = answered === undefined ? "" : `\n          → ${answered ?? "no answer"}`
  return `${time}  ${visible(subjectOf(event))}${handed}`
}
