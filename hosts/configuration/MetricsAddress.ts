/** `METRICS_ADDRESS`, for both hosts: a separate address for `GET /metrics`. */
import { Schema } from "effect"
import type { Variable } from "./Variables.ts"

export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

const FORM = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]]+)):([0-9]{1,5})$/

/** Undefined when the text is not a host and port. */
export const parseMetricsAddress = (text: string): MetricsAddress | undefined => {
  const [, six, name, port = ""] = FORM.exec(text) ?? []
  const host = six ?? name
  return host === undefined || Number(port) < 1 || Number(port) > 65_535 ? undefined : { host, port: Number(port) }
}

/** The text as given. `parseMetricsAddress` parses it. */
export const metricsAddress: Variable<string> = {
  name: "METRICS_ADDRESS",
  meaning:
    "host:port at which GET /metrics is served, such as 127.0.0.1:9464 or [::1]:9464; the main port then answers 404 there. Beside everything else when unset",
  schema: Schema.String.check(Schema.makeFilter((text) => parseMetricsAddress(text) !== undefined))
}
