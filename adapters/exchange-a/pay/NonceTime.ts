/** The exchange's clock, from which payments have their nonces (EXCHANGEA-20). */
import { Effect } from "effect"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { MOST_AHEAD } from "../../../src/domain/families/exchange-a/payment/NonceRules.ts"
import { confirmedSequence } from "../../endpoints/sent/ConfirmedSequence.ts"
import { readMillis } from "../observe/ReadTime.ts"
import type { ExchangeARpc } from "../rpc/ExchangeARpc.ts"

/**
 * Milliseconds, as far as a quorum of the endpoints has come. SECURITY: a nonce that is far ahead could be executed long
 * after it counts as dead.
 */
export const confirmedTime = (rpc: ExchangeARpc["Service"], chain: Chain) =>
  confirmedSequence(rpc, chain, ({ read }) => read(readMillis))

/** Signs nothing while so many were signed in this moment that the clock has to catch up. */
export const nearClock =
  (now: bigint, sign: (nonce: bigint) => Effect.Effect<SignedPayment, SignerUnavailable>) => (nonce: bigint) =>
    nonce > now + MOST_AHEAD ? Effect.fail(new SignerUnavailable({ fault: "unreachable" })) : sign(nonce)
