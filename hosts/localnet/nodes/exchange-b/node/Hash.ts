/** The rollup's hash of a transfer, by the exchange's own module. It depends on no key. */
import { Schema } from "effect"
import { lighterWasm, Signed } from "../../../../../adapters/exchange-b/pay/rollup/LighterWasm.ts"
import { LIFETIME_MS } from "../../../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import type { TransferInfo } from "./Transfers.ts"

const ANY_KEY = `0x${"1b".repeat(40)}`

const decode = Schema.decodeUnknownSync(Signed)

/** 40 bytes of hex. Throws for what the rollup does not take. */
export const hashOf = async (info: TransferInfo, chainId: number): Promise<string> => {
  const call = await lighterWasm()
  const now = info.ExpiredAt - LIFETIME_MS
  const signer = [info.ApiKeyIndex, info.FromAccountIndex]
  call("CreateClient", ["", ANY_KEY, chainId, ...signer], now)
  const transfer = [
    info.ToAccountIndex,
    info.AssetIndex,
    info.FromRouteType,
    info.ToRouteType,
    info.Amount,
    info.USDCFee,
    Buffer.from(info.Memo).toString("hex"),
    info.Nonce
  ]
  return decode(call("SignTransfer", [...transfer, ...signer], now)).txHash
}
