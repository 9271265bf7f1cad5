/** One deposit on each exchange, for any hash that is requested. `ExchangeStub.ts` answers with it, by question. */
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { signNonceMapping } from "../SignNonceMapping.ts"

export type ExchangeAnswers = Readonly<Record<string, string>>

const NONCE = 1_700_000_000_000
const ORDER = `0x${"ee".repeat(32)}` as const
const SECOND = 1_000
/** As configured for the local exchange, so that its entry is confirmed. */
const SPOT_USDC = "0x6d1e7cde53ba9467b783cb7c530ce054"

/** A transfer of exchange A whose sender has mapped its nonce to an order, so that a signature is verified for each. */
export const exchangeASample = async (depository: Hex): Promise<ExchangeAnswers> => {
  const account = privateKeyToAccount(`0x${"a1".repeat(32)}`)
  const wallet = account.address.toLowerCase()
  const chain = "exchangea-local"
  const signature = await signNonceMapping(account, { chain, wallet: account.address, id: ORDER, nonce: NONCE })
  const action = {
    type: "usdSend",
    signatureChainId: "0xa4b1",
    hyperliquidChain: "Mainnet",
    destination: depository,
    amount: "12.345678",
    time: NONCE
  }
  return {
    txDetails: JSON.stringify({
      type: "txDetails",
      tx: { action, block: 1_000, error: null, hash: "$ID", time: NONCE, user: wallet }
    }),
    spotMeta: JSON.stringify({ tokens: [{ name: "USDC", tokenId: SPOT_USDC, weiDecimals: 8 }] }),
    exchangeStatus: JSON.stringify({ time: NONCE + 60 * SECOND }),
    [`/queries/nonce-mappings/${chain}/${wallet}/${NONCE}/v1`]: JSON.stringify({
      walletChainId: chain,
      wallet,
      nonce: `${NONCE}`,
      id: ORDER,
      signatureChainId: 42_161,
      signature,
      createdAt: new Date(NONCE).toISOString()
    })
  }
}

/** A transfer of exchange B, with the order in its memo. */
export const exchangeBSample = (depository: number): ExchangeAnswers => {
  const info = {
    FromAccountIndex: 1_001,
    ApiKeyIndex: 3,
    ToAccountIndex: depository,
    AssetIndex: 3,
    FromRouteType: 0,
    ToRouteType: 0,
    Amount: 12_345_678,
    USDCFee: 0,
    Memo: Array.from({ length: 32 }, () => 0xee),
    Nonce: 1,
    ExpiredAt: NONCE,
    Sig: "",
    L1Sig: ""
  }
  return {
    "/api/v1/tx": JSON.stringify({
      code: 200,
      hash: "$ID",
      type: 12,
      status: 3,
      info: JSON.stringify(info),
      block_height: 1_000,
      queued_at: NONCE
    }),
    "/api/v1/assetDetails": JSON.stringify({
      code: 200,
      asset_details: [{ asset_id: 3, symbol: "USDC", decimals: 6 }]
    }),
    "/": JSON.stringify({ status: 200, network_id: 1, timestamp: NONCE / SECOND })
  }
}
