/**
 * GET / and GET /search: pages for people. A search needs no key and finds by id alone, like GET /requests: who knows a
 * request, an order, a transaction or a deposit address may see what became of it. Only transfers whose payment is on
 * its chain for everybody to see are listed. SECURITY: a user's own address finds nothing, because a list of somebody's
 * transfers needs the key that asked for them.
 */
import { Effect, Option, Result, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { Chains } from "../../../ports/chain/Chains.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Hex32FromString } from "../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { isChainPaused } from "../../../src/domain/pause/Pause.ts"
import type { WireAmount } from "../../../src/domain/quote/wire/WireAmount.ts"
import { roundedText, visible } from "../../../src/domain/timeline/DisplayText.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import { Pausing } from "../../../src/services/operations/Pausing.ts"
import { Statuses } from "../../../src/services/requests/Statuses.ts"
import { makeReadiness } from "./health/Readiness.ts"
import { answer } from "../page/Document.ts"
import { landingPage, searchPage } from "../page/LandingPage.ts"
import type { FoundTransfer } from "../page/LandingPage.ts"
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

/** Transfers that the landing page lists, and how long it stays as it is. */
const RECENT = 10
const FRESH = "3 seconds"

const queryOf = (url: string): string => {
  const at = url.indexOf("?")
  return (new URLSearchParams(at < 0 ? "" : url.slice(at)).get("q") ?? "").trim().slice(0, 128)
}

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { all } = yield* Chains
  const pausing = yield* Pausing
  const statuses = yield* Statuses
  const history = yield* TransferHistory
  const transfers = yield* Transfers
  const readiness = yield* makeReadiness
  const nameOf = (chainId: number) => all.find(({ id }) => id === chainId)?.name ?? `chain ${chainId}`

  const shown = ({ id, quote: { details: { currencyIn, currencyOut } }, status, terms }: Transfer): FoundTransfer => {
    const sideOf = ({ amountFormatted, currency: { symbol } }: WireAmount, chainId: number) =>
      `${roundedText(amountFormatted)} ${visible(symbol)} on ${nameOf(chainId)}`
    return {
      id,
      status,
      from: sideOf(currencyIn, terms.originChainId),
      to: sideOf(currencyOut, terms.destinationChainId)
    }
  }

  const look = Effect.gen(function*() {
    const pauses = yield* pausing.all
    const { chains } = yield* readiness
    const serving = new Set(chains.filter(({ serves }) => serves).map(({ id }) => id))
    const recent = yield* Effect.forEach(yield* history.lastEnded(RECENT), transfers.find)
    return answer(landingPage({
      chains: all.map(({ currencies, id, name, slug }) => ({
        name,
        symbols: currencies.map(({ symbol }) => symbol),
        state: isChainPaused(pauses, id) ? "paused" : serving.has(slug) ? "open" : "not served now"
      })),
      recent: recent.filter((transfer) => transfer !== undefined).map(shown)
    }))
  })
  // Anybody may ask for it as often as they like.
  const landing = yield* Effect.cachedWithTTL(look, FRESH)

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
        found.map(({ transfer }) => shown(transfer)),
        all.find(({ family, network }) => Result.isSuccess(family.addresses(network).parse(text)))?.name
      ))
  })

  yield* router.add("GET", "/", Effect.catchTag(landing, "StoreUnavailable", () => Effect.succeed(unavailable)))
  yield* router.add(
    "GET",
    "/search",
    (request) => Effect.catchTag(search(request), "StoreUnavailable", () => Effect.succeed(unavailable))
  )
}))
