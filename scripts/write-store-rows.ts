/**
 * `npm run store-rows`: runs this version on local chains and writes the rows of its store to
 * `adapters/storage/migrations/testing/<last migration>.json`, for later versions (`Forward.test.ts`).
 *
 * The rows contain: an unpaid quote, a filled one and a refunded one; an unpaid direct payment; an idempotent answer;
 * deposit addresses that were overpaid or not paid yet, also on Solana and with a sponsor; a permit that is submitted,
 * and one that is not posted; swaps that users make themselves, on an EVM chain and on Solana; a nonce mapping. It
 * never overwrites a file, because rows of another version must stay as that version wrote them.
 */
import { Effect } from "effect"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { migrations } from "../adapters/storage/migrations/index.ts"
import { addressFor, payTo } from "../hosts/transfer/testing/Addressed.ts"
import { ended, nativeRequest, post, quote, sendDeposit } from "../hosts/transfer/testing/Client.ts"
import { closed, eventually } from "../hosts/transfer/testing/Misbehaving.ts"
import {
  itemOf,
  permitEnded,
  permitRequest,
  postSignature,
  quotePermit,
  signItem
} from "../hosts/transfer/testing/PermitClient.ts"
import { addSponsors, keyOf } from "../hosts/transfer/testing/Sponsor.ts"
import { ETH, USDC } from "../hosts/transfer/testing/Tokens.ts"
import { solanaAddressFor } from "../hosts/transfer/testing/SolanaAddressed.ts"
import { quoteSolana } from "../hosts/transfer/testing/SolanaClient.ts"
import { SOL, startSolanaNetwork } from "../hosts/transfer/testing/SolanaNetwork.ts"
import { usdc } from "../hosts/localnet/nodes/solana/Mints.ts"
import { solanaChainId } from "../hosts/localnet/nodes/solana/SolanaChain.ts"

const target = join(
  import.meta.dirname,
  "../adapters/storage/migrations/testing",
  `${Object.keys(migrations).at(-1)}.json`
)

/** Our migrations do not cover the engine's tables or SQLite's. */
const isOurs = (table: string): boolean => !/^(?:cluster|sqlite|causeway_migrations|effect)/.test(table)

/** Orders tables so that rows come before those that refer to them. */
const firstOf = (table: string): number =>
  ["api_keys", "transfers", "ledger_transactions", "deposit_addresses"].includes(table) ? 0 : 1

const rowsOf = (file: string): string => {
  const store = new DatabaseSync(file, { readOnly: true })
  const names = store.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all().map((
    { name }
  ) => String(name))
  const tables = names.filter(isOurs).toSorted((a, b) => firstOf(a) - firstOf(b)).map((name) => {
    const rows = store.prepare(`SELECT * FROM ${name}`).all().map((row) => `  ${JSON.stringify(row)}`)
    return ` ${JSON.stringify(name)}: [${rows.length === 0 ? "" : `\n${rows.join(",\n")}\n `}]`
  })
  store.close()
  return `{\n${tables.join(",\n")}\n}\n`
}

const mappingTypes = {
  NonceMapping: [
    { name: "chainId", type: "string" },
    { name: "wallet", type: "address" },
    { name: "depositor", type: "address" },
    { name: "id", type: "bytes32" },
    { name: "nonce", type: "uint256" }
  ]
} as const

/** Stores the wallet's statement of which order the exchange A transfer with that nonce is for. */
const mapNonce = Effect.fnUntraced(function*(url: string, key: Hex) {
  const wallet = privateKeyToAccount(key)
  const [chainId, id, nonce] = ["exchangea", `0x${"1d".repeat(32)}`, 1_790_000_000_123] as const
  const signature = yield* Effect.promise(() =>
    wallet.signTypedData({
      domain: {
        name: "RelayNonceMapping",
        version: "2",
        chainId: 42_161,
        verifyingContract: "0x0000000000000000000000000000000000000000"
      },
      types: mappingTypes,
      primaryType: "NonceMapping",
      message: { chainId, wallet: wallet.address, depositor: wallet.address, id, nonce: BigInt(nonce) }
    })
  )
  const kept = yield* post(`${url}/authorize?signature=${signature}`, {
    type: "nonce-mapping",
    walletChainId: chainId,
    wallet: wallet.address,
    depositor: wallet.address,
    nonce,
    id,
    signatureChainId: 42_161
  })
  if (kept.status !== 200) return yield* Effect.die(new Error(`the mapping was not kept: ${kept.status}`))
})

const write = Effect.scoped(Effect.gen(function*() {
  const { chains, environment, solanaUsers, startHost } = yield* startSolanaNetwork()
  const sponsor = { id: "rows", wallet: "0x00000000000000000000000000000000000005b0", balance: 10n ** 9n }
  yield* addSponsors(environment["DATABASE_URL"] ?? "", [sponsor])
  const host = yield* startHost()
  const key = chains.users[0] ?? "0x"
  const recipient = "0x00000000000000000000000000000000000000b1"
  const request = (changes: object = {}, to = chains.beta) =>
    nativeRequest(privateKeyToAccount(key).address, chains.alpha, to, 10n ** 16n, { recipient, ...changes })
  yield* quote(host.url, request({ referrer: "a referrer" }))
  yield* quote(host.url, request({}, chains.alpha))
  yield* post(`${host.url}/quote`, request(), { "idempotency-key": "a key" })
  const filled = yield* quote(
    host.url,
    request({ appFees: [{ recipient: "0x0000000000000000000000000000000000000fee", fee: "30" }] })
  )
  yield* sendDeposit(chains.alpha, key, filled)
  yield* ended(host.url, filled)
  const refunded = yield* quote(host.url, request({ refundTo: recipient }))
  yield* sendDeposit(chains.alpha, key, refunded, 5n * 10n ** 15n)
  yield* ended(host.url, refunded)
  yield* addressFor(host.url, request({ refundTo: recipient }))
  yield* solanaAddressFor(host.url, {
    user: solanaUsers[0]?.address,
    recipient,
    originChainId: solanaChainId,
    destinationChainId: chains.beta.chainId,
    originCurrency: SOL,
    destinationCurrency: ETH.address,
    amount: "500000000",
    tradeType: "EXACT_INPUT"
  })
  yield* quote(
    host.url,
    request({ originCurrency: USDC.address, destinationCurrency: ETH.address, amount: "25000000" }, chains.alpha)
  )
  yield* quoteSolana(host.url, {
    user: solanaUsers[0]?.address,
    originChainId: solanaChainId,
    destinationChainId: solanaChainId,
    originCurrency: SOL,
    destinationCurrency: usdc.address,
    amount: "100000000",
    tradeType: "EXACT_INPUT"
  })
  yield* mapNonce(host.url, key)
  const addressed = yield* addressFor(host.url, request({ refundTo: recipient, strict: true }))
  yield* payTo(chains.alpha, key, addressed.depositAddress, ETH, 2n * 10n ** 16n)
  yield* ended(host.url, addressed.quoted)
  // Open addresses whose fees a sponsor pays: one that has received a deposit, and one that has not.
  const sponsored = request({ refundTo: recipient, subsidizeFees: true })
  yield* addressFor(host.url, sponsored, keyOf(sponsor))
  const open = yield* addressFor(host.url, sponsored, keyOf(sponsor))
  yield* payTo(chains.alpha, key, open.depositAddress, ETH, 10n ** 16n)
  yield* ended(host.url, open.quoted)
  const permit = permitRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, USDC, { recipient })
  yield* quotePermit(host.url, permit)
  const signed = itemOf((yield* quotePermit(host.url, permit)).quoted)
  yield* postSignature(host.url, signed, yield* signItem(key, signed))
  yield* permitEnded(host.url, signed)
  for (const [outcome, many] of [["filled", 4], ["refunded", 1]] as const) {
    yield* eventually(`it is ${outcome} for good`, closed(host.url, outcome), (count) => count === many)
  }
  yield* host.kill("SIGTERM")
  writeFileSync(target, rowsOf((environment["DATABASE_URL"] ?? "").slice("sqlite:".length)))
}))

if (existsSync(target)) {
  process.stderr.write(`${target} is there already\n`)
  process.exitCode = 1
} else await Effect.runPromise(write)
