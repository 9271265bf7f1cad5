/**
 * Uses nonces of an API key up, on transfers of the account to itself (EXCHANGEB-22). No payment can have such a nonce
 * any more, and the payments after it can be executed.
 */
import { Effect } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ZERO_32 } from "../../../src/domain/encoding/Hex.ts"
import { lighterChainIdOf } from "../../../src/domain/families/exchange-b/evidence/Transfer.ts"
import { PERPS, SPOT, USDC } from "../../../src/domain/families/exchange-b/payment/Asset.ts"
import { LIFETIME_MS } from "../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import type { ExchangeBFault, ExchangeBRpc } from "../rpc/ExchangeBRpc.ts"
import { signTransfer } from "./SignTransfer.ts"
import type { SolverAccount } from "./SolverAccount.ts"
import { submit } from "./Submitting.ts"

const OPERATION = "using a nonce up"

/** `now`: milliseconds of the exchange's clock. */
export const submitNothing = Effect.fnUntraced(
  function*(
    { call }: ExchangeBRpc["Service"],
    solver: SolverAccount["Service"],
    chain: Chain,
    { apiKey, nonce, now }: { readonly apiKey: bigint; readonly nonce: bigint; readonly now: number }
  ): Effect.fn.Return<void, ChainUnavailable | SignerUnavailable> {
    const signed = yield* signTransfer(solver, {
      nonce,
      apiKeyIndex: apiKey,
      fromAccountIndex: solver.index,
      toAccountIndex: solver.index,
      // From perps to spot: it moves a millionth of a dollar, and pays nobody.
      fromRouteType: PERPS,
      toRouteType: SPOT,
      assetIndex: USDC,
      amount: 1n,
      usdcFee: 0n,
      lighterChainId: lighterChainIdOf(chain.network),
      memo: ZERO_32
    }, now + LIFETIME_MS)
    // Another endpoint is asked where one refuses it.
    const said = yield* call(chain, OPERATION, ({ read }) =>
      read((client, deadline) =>
        Effect.filterOrFail(
          submit(client, signed, deadline),
          (answer) => typeof answer === "string",
          (): ExchangeBFault => "refused"
        )
      ))
    if (said !== "accepted") {
      return yield* new ChainUnavailable({ chain: chain.slug, operation: OPERATION, kind: "refused" })
    }
  }
)
