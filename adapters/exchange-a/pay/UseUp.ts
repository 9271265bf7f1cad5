/**
 * Uses a high nonce up, on a transfer of the account to itself. After a hundred of them the exchange takes no lower nonce
 * any more (EXCHANGEA-23).
 */
import { Effect } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { PERPS_TOKEN } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import { COUNTED_NONCES, MOST_AHEAD } from "../../../src/domain/families/exchange-a/payment/NonceRules.ts"
import { networkOf } from "../observe/ReadTransaction.ts"
import type { ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import { signTransfer } from "./SignTransfer.ts"
import type { KeyAccount } from "./SolverAccount.ts"
import { submit } from "./Submitting.ts"

/** What perps count at least, as the exchange writes it. */
const LEAST = "0.000001"

/** `now`: milliseconds of the exchange's clock, after the last payment was signed. */
export const submitNothing = Effect.fnUntraced(
  function*(
    { call }: ExchangeARpc["Service"],
    solver: KeyAccount,
    chain: Chain,
    { now, sequence }: { readonly now: bigint; readonly sequence: bigint }
  ): Effect.fn.Return<void, ChainUnavailable | SignerUnavailable> {
    const transfer = {
      _tag: "SendAsset",
      hyperliquidChain: networkOf(chain),
      destination: solver.account,
      // From perps to spot: it moves a millionth of a dollar, and names no other account.
      sourceDex: "",
      destinationDex: "spot",
      token: `USDC:${PERPS_TOKEN}`,
      amount: LEAST,
      fromSubAccount: "",
      // Above every nonce of a payment, and another one for each of those that are used up together.
      nonce: now + MOST_AHEAD + 1n + sequence % BigInt(COUNTED_NONCES)
    } as const
    const signature = yield* signTransfer(solver, transfer)
    const operation = "using a nonce up"
    const { said } = yield* call(
      chain,
      operation,
      ({ read }) => read((client, deadline) => submit(client, transfer, signature, deadline))
    )
    if (said !== "accepted") return yield* new ChainUnavailable({ chain: chain.slug, operation, kind: "refused" })
  }
)
