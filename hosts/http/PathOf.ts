/** The path of a request, without its query. */
import type { HttpServerRequest } from "effect/http"

// Every layer around the router asks, for each request: without a regular expression.
export const pathOf = ({ url }: HttpServerRequest.HttpServerRequest): string => {
  const query = url.indexOf("?")
  const path = query < 0 ? url : url.slice(0, query)
  const fragment = path.indexOf("#")
  return fragment < 0 ? path : path.slice(0, fragment)
}
