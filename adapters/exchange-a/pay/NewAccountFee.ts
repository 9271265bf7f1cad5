/** What a transfer on exchange A costs: nothing, unless the recipient's account does not exist yet (EXCHANGEA-22). */
import { Effect, Schema } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { scaleDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { PERPS_DECIMALS } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import { PreTransferAnswer } from "../decode/PaymentAnswers.ts"
import { undecodable } from "../observe/ReadTime.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../rpc/ExchangeARpc.ts"

const decode = Schema.decodeUnknownEffect(PreTransferAnswer)

/** Smallest units of USDC on perps. Undefined when the exchange lets nobody pay this account. */
export const readFee = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    { recipient, source }: { readonly recipient: Address; readonly source: Address },
    deadline: number
  ): Effect.fn.Return<bigint | undefined, ExchangeAFault> {
    const { fee, isSanctioned } = yield* undecodable(
      decode(yield* client.info({ type: "preTransferCheck", user: recipient, source }, deadline))
    )
    const units = scaleDecimal(fee, PERPS_DECIMALS)
    if (units === undefined) return yield* Effect.fail("undecodable" as const)
    return isSanctioned ? undefined : units
  }
)
