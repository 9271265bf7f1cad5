/**
 * Who pays what of a sponsored transfer: as quoted, and as captured from the sponsor's balance once the fill is final.
 */
import { Clock, Effect } from "effect"
import { formatUnits } from "viem/utils"
import { LocalnetError } from "../../run/LocalnetError.ts"
import type { Screen } from "../../../cli/Screen.ts"
import { sponsored } from "./TransferApi.ts"
import type { QuoteAnswer } from "./TransferApi.ts"

const PATIENCE_MS = 180_000
const AGAIN_MS = 100

/** Of the app balance's currency, USDC. */
const DECIMALS = 6

const isNothing = (amountUsd: string): boolean => Number(amountUsd) === 0

/** Fails when nothing is sponsored, because sponsorship was requested. */
export const told = Effect.fnUntraced(function*({ feeSponsorship }: QuoteAnswer, screen: Screen) {
  const quoted = feeSponsorship?.quoted
  if (quoted === undefined || isNothing(quoted.sponsoredTotal.amountUsd)) {
    return yield* new LocalnetError({ message: "nothing of it would be sponsored" })
  }
  const parts = Object.entries(quoted.components).filter(([, { sponsored: part }]) => !isNothing(part.amountUsd))
  yield* screen.line(
    `  the sponsor pays ${quoted.sponsoredTotal.amountUsd} USD: ${
      parts.map(([name, { sponsored: part }]) => `${name} ${part.amountUsd}`).join(", ")
    }`
  )
})

/** The amount captured from the sponsor's balance for that transaction's deposit. */
export const toldWhenPaid = Effect.fnUntraced(function*(transferUrl: string, deposit: string, screen: Screen) {
  const since = yield* Clock.currentTimeMillis
  while ((yield* Clock.currentTimeMillis) - since < PATIENCE_MS) {
    const actual = yield* sponsored(transferUrl, deposit)
    if (actual !== undefined) {
      return yield* screen.line(
        `  sponsor paid ${formatUnits(BigInt(actual.sponsorPayment.amount), DECIMALS)} USDC of its app balance`
      )
    }
    yield* Effect.sleep(AGAIN_MS)
  }
  return yield* new LocalnetError({ message: `what the sponsor paid is not known after ${PATIENCE_MS / 1000} s` })
})
