/**
 * One transfer as a program makes it, without a screen: quoted, its steps signed and sent in order, followed to its end,
 * and until the hub has settled its deposit.
 */
import { Effect } from "effect"
import { LocalnetError } from "../../run/LocalnetError.ts"
import { check, settlementsOf } from "./TransferApi.ts"
import type { QuoteAnswer } from "./TransferApi.ts"
import type { ChainWallet } from "./Wallets.ts"

const AGAIN_MS = 500

const ends = new Set(["success", "refund", "failure"])

/** The request that a quote has made. */
export const requestOf = ({ steps }: QuoteAnswer): string => steps.flatMap(({ requestId }) => requestId ?? [])[0] ?? ""

/**
 * Signs and sends every item of every step. Each transaction is in a block before the next is sent, and at the end.
 * Returns the transactions.
 */
export const pay = Effect.fnUntraced(function*(wallet: ChainWallet, privateKey: string, { steps }: QuoteAnswer) {
  const sent: Array<string> = []
  for (const { data } of steps.flatMap((step) => step.items)) {
    const id = yield* wallet.send(privateKey, data)
    if (id === undefined) continue
    const { succeeded } = yield* wallet.mined(id)
    if (!succeeded) return yield* new LocalnetError({ message: `the transaction ${id} failed` })
    sent.push(id)
  }
  return sent
})

/** The final status of a request. Waits without limit. */
export const ended = (transferUrl: string, requestId: string) =>
  check(transferUrl, `/intents/status?requestId=${requestId}`).pipe(
    Effect.tap(({ status }) => ends.has(status) ? Effect.void : Effect.sleep(AGAIN_MS)),
    Effect.repeat({ until: ({ status }) => ends.has(status) })
  )

/** States in which a settlement stays, unless an operator acts. */
const settledFor = new Set(["settled", "refused", "excluded"])

/** The settlement of a request's deposits, once each is settled or will not be. Waits without limit. */
export const settledOf = (transferUrl: string, requestId: string) => {
  const isOver = (found: Effect.Success<ReturnType<typeof settlementsOf>>) =>
    found.length > 0 && found.every(({ state }) => settledFor.has(state))
  return settlementsOf(transferUrl, requestId).pipe(
    Effect.tap((found) => isOver(found) ? Effect.void : Effect.sleep(AGAIN_MS)),
    Effect.repeat({ until: isOver })
  )
}
