/**
 * A deposit of USDC on exchange A by @nktkas/hyperliquid: `usdSend` to the depository's account. It carries no text, so
 * the user signs which id its nonce is for, and the transfer service stores that (docs/api.md, POST /authorize).
 */
import { ExchangeClient, HttpTransport } from "@nktkas/hyperliquid"
import { Effect, Schema } from "effect"
import { getAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { formatUnits } from "viem/utils"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"

type Exchange = NonNullable<Localnet["exchangeA"]> & { readonly transferUrl: string }

const DECIMALS = 8
/** Any EVM chain works: only its number is signed. */
const SIGNED_ON = 42_161

const Listed = Schema.Struct({
  txs: Schema.Array(Schema.Struct({ hash: Schema.String, action: Schema.Record(Schema.String, Schema.Json) }))
})

const mappingTypes = {
  NonceMapping: [
    { name: "chainId", type: "string" },
    { name: "wallet", type: "address" },
    { name: "depositor", type: "address" },
    { name: "id", type: "bytes32" },
    { name: "nonce", type: "uint256" }
  ]
} as const

const post = async (url: string, body: object): Promise<unknown> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const text = await response.text()
  if (response.status !== 200) {
    throw new Error(`${new URL(url).pathname} was answered with ${response.status}: ${text.slice(0, 300)}`)
  }
  return JSON.parse(text)
}

export const deposit = (
  { depository, id: chain, rpcUrl, transferUrl }: Exchange,
  { privateKey }: Localnet["accounts"][number],
  amount: bigint,
  id: `0x${string}`
) =>
  Effect.tryPromise({
    try: async () => {
      const wallet = privateKeyToAccount(privateKey)
      const nonce = Date.now()
      const signature = await wallet.signTypedData({
        domain: {
          name: "RelayNonceMapping",
          version: "2",
          chainId: SIGNED_ON,
          verifyingContract: "0x0000000000000000000000000000000000000000"
        },
        types: mappingTypes,
        primaryType: "NonceMapping",
        message: { chainId: chain, wallet: wallet.address, depositor: wallet.address, id, nonce: BigInt(nonce) }
      })
      await post(`${transferUrl}/authorize?signature=${signature}`, {
        type: "nonce-mapping",
        walletChainId: chain,
        wallet: wallet.address,
        depositor: wallet.address,
        nonce,
        id,
        signatureChainId: SIGNED_ON
      })
      const client = new ExchangeClient({
        transport: new HttpTransport({ apiUrl: rpcUrl }),
        wallet,
        nonceManager: () => nonce
      })
      await client.usdSend({ destination: getAddress(depository.address), amount: formatUnits(amount, DECIMALS) })
      const { txs } = Schema.decodeUnknownSync(Listed)(
        await post(`${rpcUrl}/explorer`, { type: "userDetails", user: wallet.address })
      )
      const sent = txs.find(({ action }) => action["time"] === nonce)
      if (sent === undefined) throw new Error("the explorer does not show it")
      return {
        transactionId: sent.hash,
        depositor: wallet.address.toLowerCase(),
        besides: `nonce ${nonce} is for that id, signed by the user and kept by the transfer service`
      }
    },
    catch: (cause) => new LocalnetError({ message: `the deposit on ${chain} failed: ${reasonOf(cause)}` })
  })
