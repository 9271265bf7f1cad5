/**
 * An example for each operation, against the local network (`npm start`). A test sends every one to a host: those that
 * need what only a wallet or a running request has are well-formed, and are refused for that reason alone.
 */
import type { Json } from "../../../http/document/DescribedSchemas.ts"

const user = "0x8F6f614A09b24707aA27294bF08a239Ad45bD3CC"
const native = "0x0000000000000000000000000000000000000000"
const requestId = `0x000001a1fb73b16b${"00".repeat(24)}`
const transaction = `0x${"9c67".repeat(16)}`
const signature = `0x${"1b".repeat(65)}`

const quote = {
  user,
  originChainId: 616101,
  destinationChainId: 616102,
  originCurrency: native,
  destinationCurrency: native,
  amount: "100000000000000000",
  tradeType: "EXACT_INPUT"
}

const payout = { recipient: user, amount: "1000000", nonce: `0x${"01".repeat(32)}`, deadline: 1_900_000_000, signature }

/** Bodies, by method and path. */
export const bodies: Readonly<Record<string, Json>> = {
  "POST /quote": quote,
  "POST /quote/v2": quote,
  "POST /price": quote,
  "POST /execute/permits": { kind: "eip3009", requestId, api: "bridge" },
  "POST /authorize": {
    type: "nonce-mapping",
    walletChainId: "exchange-a-local",
    wallet: user,
    depositor: user,
    nonce: "1795223186000",
    id: requestId,
    signatureChainId: 616101
  },
  "POST /transactions/index": { txHash: transaction, chainId: 616101 },
  "POST /transactions/single": { requestId, chainId: 616101, tx: JSON.stringify({ txHash: transaction }) },
  "POST /transactions/deposit-address/reindex": { depositAddress: user, chainId: 616101 },
  "POST /requests/metadata": { requestId, additionalMetadata: { note: "an id of your own" } },
  "POST /webhooks": { url: "https://app.example/hooks", lowBalance: "5000000" },
  "POST /webhooks/{id}/secret": { overlapSeconds: 3600 },
  "POST /currencies/v2": { term: "usdc", chainIds: [616101] },
  "POST /app-fees/{wallet}/claim": { ...payout, currency: native },
  "POST /app-fees/{wallet}/withdraw": payout,
  "POST /app-fees/{wallet}/settle": payout,
  "POST /admin/pauses": { kind: "chain", chainId: 616102, reason: "an example" },
  "POST /api-keys": { label: "an app" },
  "POST /api-keys/{id}/rotate": { overlapSeconds: 3600 },
  "POST /api-keys/wallets/challenge": { wallet: user },
  "POST /api-keys/wallets": { message: "the text of the challenge", signature },
  "POST /api-keys/wallets/unlink": { message: "the text of the challenge", signature },
  "PUT /api-keys/{id}/budgets": { total: "100000000", perDay: "10000000" },
  "POST /admin/requests/{id}/retry": {}
}

const keyId = "key_5f1d0c2b7a9e4c36"
const webhookId = "wh_5b1c3a0f9d8e7c6b5a493827"

/** Values of required parameters, by their names; with an operation before the name, that operation's own, required or not. */
const parameters: Readonly<Record<string, string>> = {
  requestId,
  signature,
  wallet: user,
  chainId: "616101",
  address: native,
  originChainId: "616101",
  destinationChainId: "616102",
  depositor: user,
  nonce: "1795223186000",
  id: requestId,
  "GET /queries/nonce-mappings/{chainId}/{depositor}/{nonce}/v1 chainId": "exchange-a-local",
  "POST /api-keys/{id}/rotate id": keyId,
  "DELETE /api-keys/{id} id": keyId,
  "GET /api-keys/{id}/budgets id": keyId,
  "PUT /api-keys/{id}/budgets id": keyId,
  "DELETE /webhooks/{id} id": webhookId,
  "POST /webhooks/{id}/secret id": webhookId,
  "POST /webhooks/deliveries/{id}/replay id": `${webhookId}.${requestId}.2`,
  "DELETE /admin/pauses/{id} id": "chain:616102",
  "GET /deposit-addresses requestId": requestId,
  from: "2026-11-01",
  to: "2026-11-21"
}

/** The value of a parameter that an example gives; undefined for an optional one that it leaves out. */
export const exampleOf = (operation: string, name: string, required: boolean): string | undefined =>
  parameters[`${operation} ${name}`] ?? (required ? parameters[name] : undefined)
