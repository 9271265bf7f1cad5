/**
 * Sees to it that scans have begun on every served chain before a quote's order exists: its deposit may come on any of
 * them (QUOTE-9).
 *
 * A chain that no endpoint shows must not stop quotes of others. They wait for it once, and it is anchored in the
 * background as soon as it can be read. Not for the worker, whose scans anchor their chains themselves.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { ChainId } from "../../../domain/chain/ChainId.ts"
import { retryForever } from "../../polling/RetryForever.ts"
import { anchorChain } from "./AnchorChain.ts"

/** How long a quote waits for a chain that is not its own. More than one endpoint may take that does not answer. */
const PATIENCE = Duration.seconds(10)

/**
 * The same work, once for all who ask while it goes on. SECURITY: ten thousand quotes ask a silent chain, or a store that
 * fails slowly, as often as one does. It goes on when its client leaves: otherwise strangers who ask and leave, one after
 * the other, could hold up all quotes for as long as a chain is silent.
 */
const shared = <E, R>(work: Effect.Effect<void, E, R>, scope: Scope.Scope): Effect.Effect<void, E, R> => {
  let going: Fiber.Fiber<void, E> | undefined
  const begin = work.pipe(
    Effect.forkIn(scope),
    Effect.tap((fiber) =>
      Effect.sync(() => {
        going = fiber
      })
    )
  )
  return Effect.suspend(() =>
    going === undefined || going.pollUnsafe() !== undefined ? Effect.flatMap(begin, Fiber.join) : Fiber.join(going)
  )
}

/**
 * Returns what a quote awaits. It fails when its origin or the store cannot be read. Once all is anchored it takes no
 * step: this process remembers what the store has.
 */
export const makeAnchors = Effect.gen(function*() {
  const { all } = yield* Chains
  const scope = yield* Effect.scope
  const anchored = new Set<ChainId>()
  /** Those that are anchored in the background. */
  const late = new Set<ChainId>()

  const anchor = Effect.fnUntraced(function*(chain: Chain) {
    if (anchored.has(chain.id)) return
    if ((yield* (yield* Deposits).cursor(chain.id)) === undefined) yield* anchorChain(chain)
    anchored.add(chain.id)
  })

  const anchors = new Map(all.map((chain) => [chain.id, shared(anchor(chain), scope)]))
  const anchorShared = (chain: Chain) => anchors.get(chain.id) ?? anchor(chain)

  const leaveForLater = Effect.fnUntraced(function*(chain: Chain, { message }: ChainUnavailable) {
    late.add(chain.id)
    yield* Effect.logWarning(`quotes do not wait for ${chain.slug}, whose scans begin once it can be read: ${message}`)
    yield* anchor(chain).pipe(retryForever(`beginning of scans on ${chain.slug}`), Effect.forkIn(scope))
  })

  const anchorOrLeave = (chain: Chain) =>
    anchorShared(chain).pipe(
      Effect.timeoutOrElse({
        duration: PATIENCE,
        orElse: () => Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "head", kind: "timeout" }))
      }),
      Effect.catchTag("ChainUnavailable", (error) => leaveForLater(chain, error))
    )

  const isMissing = ({ id }: Chain): boolean => !anchored.has(id) && !late.has(id)

  const anchorOthers = shared(
    Effect.suspend(() =>
      Effect.forEach(all.filter(isMissing), anchorOrLeave, { concurrency: "unbounded", discard: true })
    ),
    scope
  )

  return Effect.fnUntracedEager(function*(origin: Chain) {
    if (!anchored.has(origin.id)) yield* anchorShared(origin)
    if (all.some(isMissing)) yield* anchorOthers
  })
})
