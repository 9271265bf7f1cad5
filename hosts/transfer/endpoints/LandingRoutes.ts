/**
 * GET / and GET /search: pages for people. A search needs no key and finds by id alone, like GET /requests: who knows a
 * request, an order, a transaction or a deposit address may see what became of it.
 */
import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Hex32FromString } from "../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { isChainPaused } from "../../../src/domain/pause/Pause.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { Pausing } from "../../../src/services/operations/Pausing.ts"
import { Statuses } from "../../../src/services/requests/Statuses.ts"
import { answer } from "../page/Document.ts"
import { landingPage, searchPage } from "../page/LandingPage.ts"
import { sorryPage } from "../page/TimelinePage.ts"

const unavailable = answer(
  sorryPage(
    503,
    "Not available now",
    "The service cannot look it up at the moment. Load this page again in a little while."
  )
)

const decodeId = Schema.decodeUnknownOption(RequestId)
const decodeOrder = Schema.decodeUnknownOption(Hex32FromString)

const MOST = 20

const queryOf = (url: string): string => {
  const at = url.indexOf("?")
  return (new URLSearchParams(at < 0 ? "" : url.slice(at)).get("q") ?? "").trim().slice(0, 128)
}

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { all } = yield* Chains
  const pausing = yield* Pausing
  const statuses = yield* Statuses
  const nameOf = (chainId: number) => all.find(({ id }) => id === chainId)?.name ?? `chain ${chainId}`

  const landing = Effect.map(pausing.all, (pauses) =>
    answer(landingPage(all.map(({ currencies, id, name }) => ({
      name,
      symbols: currencies.map(({ symbol }) => symbol),
      isPaused: isChainPaused(pauses, id)
    })))))

  const find = Effect.fnUntraced(function*(text: string) {
    const known = yield* Option.match(decodeId(text.toLowerCase()), {
      onNone: () => Effect.undefined,
      onSome: statuses.find
    })
    if (known !== undefined) return [known]
    const ordered = yield* Option.match(decodeOrder(text), {
      onNone: () => Effect.undefined,
      onSome: (id) => statuses.findByOrder(OrderId.make(id))
    })
    if (ordered !== undefined) return [ordered]
    const moved = yield* statuses.findByTransaction(text)
    return moved.length > 0 ? moved : yield* statuses.findByDepositAddress(text, MOST)
  })

  const search = Effect.fnUntraced(function*({ url }: HttpServerRequest.HttpServerRequest) {
    const text = queryOf(url)
    const found = text === "" ? [] : yield* find(text)
    const [one, ...others] = found
    return one !== undefined && others.length === 0
      ? HttpServerResponse.redirect(`requests/${one.transfer.id}`, { status: 303 })
      : answer(searchPage(
        text,
        found.map(({ transfer: { id, status, terms } }) => ({
          id,
          status,
          from: nameOf(terms.originChainId),
          to: nameOf(terms.destinationChainId)
        }))
      ))
  })

  yield* router.add("GET", "/", Effect.catchTag(landing, "StoreUnavailable", () => Effect.succeed(unavailable)))
  yield* router.add(
    "GET",
    "/search",
    (request) => Effect.catchTag(search(request), "StoreUnavailable", () => Effect.succeed(unavailable))
  )
}))
