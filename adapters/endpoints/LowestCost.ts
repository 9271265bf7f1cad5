/**
 * What a transaction costs: by one endpoint, or, where that decides whether money goes back, the lowest that as many
 * hosts name as the quorum needs (REFUND-18). A host that refuses it decides nothing while another one does not.
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import { CostsBy } from "../../ports/chain/CostsBy.ts"
import { PaymentRefused } from "../../ports/chain/Treasury.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Run } from "./AskEndpoint.ts"
import type { Rotation } from "./Rotation.ts"

/** `costOf`: smallest units, of what is not refused. */
export const lowestCost = Effect.fnUntraced(function*<Client, A>(
  rpc: Pick<Rotation<Client>, "call" | "several">,
  chain: Chain,
  operation: string,
  run: Run<Client, A | PaymentRefused>,
  costOf: (answer: A) => bigint
): Effect.fn.Return<A, ChainUnavailable | PaymentRefused> {
  const answers = (yield* CostsBy) === "endpoint"
    ? [yield* rpc.call(chain, operation, run)]
    : (yield* rpc.several(chain, operation, run)).map(({ answer }) => answer)
  let lowest: A | undefined
  let refused: PaymentRefused | undefined
  for (const answer of answers) {
    if (answer instanceof PaymentRefused) refused ??= answer
    else if (lowest === undefined || costOf(answer) < costOf(lowest)) lowest = answer
  }
  return lowest ?? (yield* refused ?? new PaymentRefused({ reason: "reverts" }))
})
