/** The path of a request, without its query. */
import type { HttpServerRequest } from "effect/http"

export const pathOf = ({ url }: HttpServerRequest.HttpServerRequest): string => url.split(/[?#]/u)[0] ?? url
