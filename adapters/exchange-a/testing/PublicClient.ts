/**
 * What a public client does with the steps of an exchange A origin: it signs under the chain that its wallet is on, says
 * so in the body that it posts to `/authorize`, and posts the transfer to the exchange itself, with the nonce of the
 * parameters.
 */
import type { LocalAccount } from "viem"
import { Hex } from "../../../src/domain/encoding/Hex.ts"
import type { SignatureData } from "../../../src/domain/quote/wire/SignatureData.ts"
import type { ExchangeATransactionData } from "../../../src/domain/families/exchange-a/ExchangeATransactionData.ts"

/** Any EVM chain: here, Base. */
export const WALLET_CHAIN = 8_453

const ZERO = "0x0000000000000000000000000000000000000000"

/** What is posted to `/authorize`, and the signature of its query. */
export const signMapping = async (
  wallet: Pick<LocalAccount, "signTypedData">,
  { post, sign }: SignatureData
): Promise<{ readonly signature: Hex; readonly body: Readonly<Record<string, unknown>> }> => {
  if (sign.signatureKind !== "eip712") throw new Error("not typed data")
  const signature = await wallet.signTypedData({
    domain: { name: "RelayNonceMapping", version: "2", verifyingContract: ZERO, chainId: WALLET_CHAIN },
    types: sign.types,
    primaryType: sign.primaryType,
    message: sign.value
  })
  return { signature: Hex.make(signature), body: { ...post.body, signatureChainId: WALLET_CHAIN } }
}

/** Posts the transfer to the exchange. Returns its answer. */
export const postTransfer = async (
  wallet: Pick<LocalAccount, "signTypedData">,
  url: string,
  { action: { parameters, type }, eip712PrimaryType, eip712Types }: ExchangeATransactionData
): Promise<string> => {
  const action = { ...parameters, type, signatureChainId: `0x${WALLET_CHAIN.toString(16)}` }
  const signature = await wallet.signTypedData({
    domain: { name: "HyperliquidSignTransaction", version: "1", verifyingContract: ZERO, chainId: WALLET_CHAIN },
    types: eip712Types,
    primaryType: eip712PrimaryType,
    message: action
  })
  const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number(`0x${signature.slice(130)}`)]
  const answer = await fetch(`${url}/exchange`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ action, nonce: parameters.nonce, signature: { r, s, v } })
  })
  return answer.text()
}
