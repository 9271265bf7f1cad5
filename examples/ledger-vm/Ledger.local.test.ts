/**
 * Moves money from the ledger to an EVM chain and back through the unchanged hosts, with seven families. It is filled,
 * refunded on either side, attested under a quorum of two nodes, and settled on the hub.
 */
import { assert, layer } from "@effect/vitest"
import { ChainSlug, families } from "causeway-kit"
import { Context, Effect, Layer, Schema } from "effect"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { execute, post, QuoteAnswer } from "../../hosts/transfer/testing/Client.ts"
import { ETH, held as heldOn } from "../../hosts/transfer/testing/Tokens.ts"
import { accountOf } from "./ledger/Transfer.ts"
import { run as withdraw } from "../../hosts/localnet/commands/withdraw/Withdraw.ts"
import { hubAddressOf } from "../../hosts/localnet/nodes/ethereum/Addresses.ts"
import * as Screen from "../../hosts/cli/Screen.ts"
import { ledgerWithdrawal } from "./testing/Withdrawing.ts"
import { ORACLE_KEY, startSeven } from "./testing/Network.ts"
import { depository, keyOf, user } from "./testing/Fixture.ts"

class Running extends Context.Service<Running, Effect.Success<typeof startSeven>>()("test/LedgerRunning") {
  static readonly layer = Layer.effect(Running, startSeven)
}

const userKey = keyOf(2)
const NATIVE = "0x0000000000000000000000000000000000000000"
const alphaRef = { slug: ChainSlug.make("alpha"), family: families["ethereum-vm"], network: "mainnet" } as const

const Claimed = Schema.Struct({
  protocol: Schema.Struct({
    v2: Schema.Struct({ orderData: Schema.Record(Schema.String, Schema.Json), orderSignature: Schema.String })
  })
})

/** From the ledger's own currency to ether on alpha. */
const fromLedger = Effect.fnUntraced(function*(recipient: string, amount: bigint, changes: object = {}) {
  const { chain, chains, quote } = yield* Running
  return yield* quote({
    user,
    recipient,
    originChainId: chain.id,
    destinationChainId: chains.alpha.chainId,
    originCurrency: chain.native.address,
    destinationCurrency: NATIVE,
    amount: `${amount}`,
    ...changes
  })
})

/** From ether on alpha to the ledger's token. */
const toLedger = Effect.fnUntraced(function*(index: number, recipient: string, amount: bigint) {
  const { chain, chains, quote } = yield* Running
  const key = chains.users[index] ?? "0x"
  const quoted = yield* quote({
    user: privateKeyToAccount(key).address,
    recipient,
    originChainId: chains.alpha.chainId,
    destinationChainId: chain.id,
    originCurrency: NATIVE,
    destinationCurrency: chain.currencies[1]?.address,
    amount: `${amount}`,
    refundOnOrigin: true
  })
  return { quoted, key }
})

/** The transactions of an answer, as a client of EVM chains reads them. */
const onAlpha = Effect.fnUntraced(function*(key: Hex, { said }: { readonly said: unknown }) {
  const { chains } = yield* Running
  return yield* execute(chains.alpha, key, Schema.decodeUnknownSync(QuoteAnswer)(said))
})

layer(Running.layer, { excludeTestServices: true })("seven families", (it) => {
  it.effect("the ledger is served, and shown by its own name", () =>
    Effect.gen(function*() {
      const { oracleUrl, url } = yield* Running
      const Shown = Schema.Struct({ chains: Schema.Array(Schema.Struct({ vmType: Schema.String })) })
      const typesAt = (path: string) =>
        Effect.promise(async () => {
          const response = await fetch(path, { headers: { "x-api-key": ORACLE_KEY } })
          return Schema.decodeUnknownSync(Shown)(await response.json()).chains.map(({ vmType }) => vmType)
        })
      assert.deepStrictEqual(yield* typesAt(`${url}/chains`), ["evm", "evm", "ledger"])
      assert.deepStrictEqual(yield* typesAt(`${oracleUrl}/chains/v1`), ["ethereum-vm", "ethereum-vm", "ledger-vm"])
    }))

  it.effect("a hint under the family's own name is let in, one under an unknown name is refused by name", () =>
    Effect.gen(function*() {
      const { chain, chains, oracleUrl, quote } = yield* Running
      const { said } = yield* quote({
        user,
        recipient: privateKeyToAccount(keyOf(11)).address,
        originChainId: chain.id,
        destinationChainId: chains.alpha.chainId,
        originCurrency: chain.native.address,
        destinationCurrency: NATIVE,
        amount: "20000000"
      })
      const { orderData, orderSignature } = Schema.decodeUnknownSync(Claimed)(said).protocol.v2
      const onchainId = `0x${"11".repeat(32)}`
      const ask = (hints: object) =>
        post(`${oracleUrl}/attestations/solver-fills/v1`, {
          order: orderData,
          orderSignature,
          inputs: [{ transactionId: "11".repeat(32), onchainId, inputIndex: 0 }],
          fill: { transactionId: onchainId },
          hints
        }, { "x-api-key": ORACLE_KEY })
      const own = yield* ask({ "ledger-vm": { account: user } })
      assert.notInclude(own.text, "hints", own.text)
      const unknown = yield* ask({ "ledger-wm": {} })
      assert.strictEqual(unknown.status, 400)
      assert.include(unknown.text, "hints.ledger-wm: ")
    }))

  it.effect("a careful client verifies what it signs, and detects every change", () =>
    Effect.gen(function*() {
      const { verify } = yield* Running
      const { body, said } = yield* fromLedger(privateKeyToAccount(keyOf(11)).address, 20_000_000n)
      const { checks, ok } = yield* verify(said, body)
      assert.isTrue(ok, JSON.stringify(checks.filter(({ outcome }) => outcome !== "ok")))
      const text = JSON.stringify(said)
      const [step] = /"transaction":\{[^}]*\}/.exec(text) ?? assert.fail("no transfer")
      const changes = [
        step.replace(depository, user),
        step.replace("\"20000000\"", "\"20000001\""),
        step.replace("}", ",\"also\":1}")
      ]
      for (const changed of changes) {
        assert.notStrictEqual(changed, step)
        assert.isFalse((yield* verify(JSON.parse(text.replace(step, changed)), body)).ok, changed)
      }
    }))

  it.effect(
    "money moves ledger → EVM and EVM → ledger, is refunded on either side, and all of it settles on the hub",
    () =>
      Effect.gen(function*() {
        const { chain, chains, ended, held, hub, ledger, onHub, oracleUrl, settled, transfer } = yield* Running
        const token = chain.currencies[1] ?? assert.fail("no token")
        const evmRecipient = privateKeyToAccount(keyOf(11)).address
        const [paid, closing] = [accountOf(keyOf(12)), accountOf(keyOf(13))]

        // Ledger → EVM.
        const out = yield* fromLedger(evmRecipient, 20_000_000n)
        const deposit = yield* transfer(userKey, out)
        assert.strictEqual((yield* ended(out)).status, "success")
        assert.strictEqual(`${yield* heldOn(chains.alpha, ETH, evmRecipient)}`, out.details.currencyOut.amount)

        // EVM → ledger: a token to an account that was never used.
        const { key, quoted: back } = yield* toLedger(0, paid, parseEther("0.01"))
        yield* onAlpha(key, back)
        const filled = yield* ended(back)
        assert.strictEqual(filled.status, "success")
        assert.strictEqual(`${held(paid, token)}`, back.details.currencyOut.amount)

        // A part of the quoted amount is too little: it is refunded to its sender, less the cost.
        const before = held(user, chain.native)
        const part = yield* fromLedger(evmRecipient, 20_000_000n, { refundOnOrigin: true })
        yield* transfer(userKey, part, 200_000n)
        const returned = yield* ended(part)
        assert.strictEqual(returned.status, "refund")
        // For so small a deposit, the solver bears the part of the refund's fee that would make it unattestable. The
        // deposit's fee is the user's.
        const lost = before - held(user, chain.native)
        assert.isTrue(lost > 1_000n && lost <= 2_000n, `${lost}`)

        // The recipient no longer accepts transfers: the fill is refused, and the deposit is refunded on alpha.
        const { key: other, quoted: refused } = yield* toLedger(1, closing, parseEther("0.01"))
        yield* ledger.close(closing)
        yield* onAlpha(other, refused)
        assert.strictEqual((yield* ended(refused)).status, "refund")
        assert.strictEqual(held(closing, token), 0n)

        // Anybody may query the oracle, too.
        const attested = yield* post(`${oracleUrl}/attestations/depository-deposits/v1`, {
          chainId: chain.slug,
          transactionId: deposit
        }, { "x-api-key": ORACLE_KEY })
        assert.strictEqual(attested.status, 200, attested.text)

        yield* Effect.forEach([out, back, part, refused], settled, { concurrency: "unbounded" })
        assert.deepStrictEqual(
          yield* Effect.all({ ledger: onHub(chain, chain.native.address), alpha: onHub(alphaRef, NATIVE) }),
          { ledger: 20_200_000n, alpha: parseEther("0.02") }
        )

        // What the solver has on the hub leaves for the ledger, by the program that serves every family.
        const account = (privateKey: Hex) => ({ address: privateKeyToAccount(privateKey).address, privateKey })
        const submitter = account(chains.users[0] ?? "0x")
        yield* hub.setBalance(submitter.address, parseEther("1"))
        const withdrawn = accountOf(keyOf(14))
        const said: Array<string> = []
        const { left } = yield* withdraw({
          oracle: { url: oracleUrl, apiKey: ORACLE_KEY },
          hub: {
            id: "hub",
            chainId: hub.chainId,
            rpcUrl: hub.url,
            hubAddress: hubAddressOf("Hub"),
            oracleAddress: hubAddressOf("OracleGate")
          },
          chain: ledgerWithdrawal(chain, chain.native, ledger.connection, keyOf(5)),
          owner: { ...account(chains.solverKey), chain: "beta" },
          recipient: withdrawn,
          amount: 20_000_000n,
          allocator: account(chains.allocatorKey),
          submitter,
          end: "executed"
        }, Screen.make({ write: (text) => void said.push(text) }, {}))
        assert.deepStrictEqual([held(withdrawn, chain.native), left], [20_000_000n, 200_000n], said.join(""))
      })
  )
})
