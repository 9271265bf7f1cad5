/** Headers that tell a caller of its limit, without the seconds until it resets: they can tick between two answers. */
import type { OutgoingHttpHeaders } from "node:http"

export const limitsIn = (headers: OutgoingHttpHeaders): ReadonlyArray<string> =>
  ["ratelimit", "retry-after"].map((name) => String(headers[name]).replace(/(?:;t=|^)\d+$/u, ""))
