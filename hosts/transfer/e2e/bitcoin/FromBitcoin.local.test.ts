/**
 * Transfers from Bitcoin through a host: a step that unmodified bitcoinjs-lib signs, the deposit in a block, the fill
 * on an EVM chain, and both settled on the hub by a real oracle.
 */
import { assert, layer } from "@effect/vitest"
import { networks, Psbt, script as scripts } from "bitcoinjs-lib"
import type { Transaction } from "bitcoinjs-lib"
import { Effect, Result } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { pushedData } from "../../../../src/domain/families/bitcoin/evidence/OpReturn.ts"
import type { Wallet } from "../../../../src/domain/families/bitcoin/steps/testing/Wallets.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { bitcoinChainId, bitcoinSlug } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { broadcast, deposited, fromBitcoin, quoteBitcoin, signedBy } from "../../testing/BitcoinClient.ts"
import { BTC, FINAL_AFTER, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { postQuote, reader } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { settled } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere, statusAnywhere } from "../../testing/SolanaClient.ts"
import { verifierOf } from "../../testing/Verified.ts"

class Running extends fixtureOf<Running>()(
  "test/FromBitcoin",
  startFixture(Effect.flatMap(startBitcoinNetwork, (network) => settlingOver(network, 1, 1)), {
    settings: ({ settling }) => settling
  })
) {}

const NATIVE = "0x0000000000000000000000000000000000000000"
const usdc = addressOf("TestUSDC")

const bitcoinRef = {
  slug: ChainSlug.make(bitcoinSlug),
  family: families["bitcoin-vm"],
  network: "regtest"
} as const
const betaRef = { slug: ChainSlug.make("beta"), family: families["ethereum-vm"], network: "mainnet" } as const

/** The solver's bitcoin on the hub. */
const onHub = Effect.gen(function*() {
  const { chains, held } = yield* Running
  const account = Result.getOrThrow(alias(betaRef, chains.solver.toLowerCase()))
  return yield* held(toHex(BigInt(account), { size: 20 }), Result.getOrThrow(hubTokenId(bitcoinRef, BTC)))
})

const etherOf = (account: Hex) =>
  Effect.flatMap(Running, ({ chains }) => Effect.promise(() => reader(chains.alpha).getBalance({ address: account })))

/** A request for ether on alpha, for an account that has nothing yet. */
const forEther = Effect.fnUntraced(function*(wallet: Wallet, amount: bigint, changes: object = {}) {
  const { chains, fresh } = yield* Running
  const recipient = fresh()
  return { recipient, body: fromBitcoin(wallet, recipient, [chains.alpha.chainId, NATIVE], amount, changes) }
})

const refusalOf = Effect.fnUntraced(function*(body: object) {
  const { url } = yield* Running
  const { json, status } = yield* postQuote(url, body)
  const { errorCode, errorData } = json() as { errorCode?: string; errorData?: string }
  return `${status} ${errorCode} ${errorData}`
})

/** The order that a deposit's note names. */
const orderIn = ({ outs }: { readonly outs: ReadonlyArray<{ readonly script: Uint8Array }> }): Hex => {
  const [note] = outs.flatMap(({ script }) => pushedData(script) ?? [])
  const text = Buffer.from(note ?? []).toString("utf8")
  return /^0x[0-9a-f]{64}$/.test(text) ? text as Hex : assert.fail(`no note: ${text}`)
}

layer(Running.layer, { excludeTestServices: true })("transfers from Bitcoin", (it) => {
  it.effect(
    "are ether for bitcoin of P2WPKH and P2SH-P2WPKH users, to the unit, and settle on the hub",
    () =>
      Effect.gen(function*() {
        const { bitcoin, chains, environment, heldOnBitcoin, url, wallet } = yield* Running
        const before = yield* onHub
        const known = {
          CHAINS: `alpha,beta,${bitcoinSlug}`,
          BITCOIN_RPC_URL: environment["BITCOIN_RPC_URL"] ?? ""
        }
        for (const kind of ["P2WPKH", "P2SH-P2WPKH"] as const) {
          const user = yield* wallet(kind, 9_000_000n, 7_000_000n)
          const { body, recipient } = yield* forEther(user, 10_000_000n, { includeProtocolData: true })
          const verify = yield* verifierOf(chains, body, {}, known)
          const answer = yield* postQuote(url, body)
          const { checks, ok } = verify(answer.json())
          assert.isTrue(ok, JSON.stringify(checks.filter(({ outcome }) => outcome !== "ok")))
          const quoted = yield* quoteBitcoin(url, body)
          assert.strictEqual(quoted.details.userBalance, "16000000")
          const signed = signedBy(user, quoted)
          const id = yield* broadcast(bitcoin.explorerUrl, signed)
          // Two blocks for so much.
          yield* bitcoin.mine()
          yield* bitcoin.mine()
          assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [id] })
          assert.strictEqual(yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount), kind)
          const fee = BigInt(quoted.fees["gas"]?.amount ?? -1)
          assert.strictEqual(heldOnBitcoin(user.address), 16_000_000n - 10_000_000n - fee)
          // Nothing is attested before it is final.
          yield* bitcoin.mine(FINAL_AFTER)
          const [settlement] = yield* settled(url, orderIn(signed), 1)
          assert.strictEqual(settlement?.inTxHash, id)
        }
        assert.strictEqual((yield* onHub) - before, 20_000_000n)
      }),
    shows("bitcoin-vm", "transfers from")
  )

  it.effect("are tokens for bitcoin, counted by the confirmations that their amount requires", () =>
    Effect.gen(function*() {
      const { bitcoin, chains, fresh, url, wallet } = yield* Running
      const [user, rich] = [yield* wallet("P2PKH", 300_000n), yield* wallet("P2PKH", 20_000_000n)]
      const tokens = (account: Hex) =>
        Effect.promise(() =>
          reader(chains.beta).readContract({
            address: usdc,
            abi: [{
              type: "function",
              name: "balanceOf",
              stateMutability: "view",
              inputs: [{ name: "of", type: "address" }],
              outputs: [{ name: "", type: "uint256" }]
            }],
            functionName: "balanceOf",
            args: [account]
          })
        )
      const [small, large] = [fresh(), fresh()]
      const quotedFor = (sender: Wallet, recipient: Hex, amount: bigint) =>
        quoteBitcoin(url, fromBitcoin(sender, recipient, [chains.beta.chainId, usdc], amount))
      const first = yield* quotedFor(user, small, 100_000n)
      // Above 10,000 dollars one block is not enough.
      const second = yield* quotedFor(rich, large, LARGE)
      yield* deposited(bitcoin, user, first)
      yield* deposited(bitcoin, rich, second)
      assert.strictEqual((yield* statusAnywhere(url, first)).status, "waiting")
      yield* bitcoin.mine()
      assert.strictEqual((yield* endedAnywhere(url, first)).status, "success")
      assert.strictEqual(yield* tokens(small), BigInt(first.details.currencyOut.amount))
      // It is in the same block, which was enough for the other.
      yield* eventually(
        "the large one is seen",
        statusAnywhere(url, second),
        ({ inTxHashes }) => inTxHashes.length === 1
      )
      assert.strictEqual((yield* statusAnywhere(url, second)).status, "depositing")
      assert.strictEqual(yield* tokens(large), 0n)
      yield* bitcoin.mine()
      assert.strictEqual((yield* endedAnywhere(url, second)).status, "success")
      assert.strictEqual(yield* tokens(large), BigInt(second.details.currencyOut.amount))
    }))

  it.effect("are found whatever a wallet does to the order of the outputs, and not under a note of another form", () =>
    Effect.gen(function*() {
      const { bitcoin, url, wallet } = yield* Running
      const [tidy, other] = [yield* wallet("P2WPKH", 300_000n), yield* wallet("P2WPKH", 300_000n)]
      const [found, unknown] = yield* Effect.forEach([tidy, other], (user) => forEther(user, 100_000n))
      if (found === undefined || unknown === undefined) return yield* Effect.die(new Error("not two"))
      const first = yield* quoteBitcoin(url, found.body)
      const second = yield* quoteBitcoin(url, unknown.body)
      const [paid, note] = signedBy(tidy, first).outs
      if (paid === undefined || note === undefined) return yield* Effect.die(new Error("no payment"))
      yield* spentElsewhere(tidy, signedBy(tidy, first), [note, { script: tidy.script, value: 1_000n }, paid])
      const renamed = signedBy(other, second)
      const text = new TextEncoder().encode(`order ${orderIn(renamed)}`)
      const nameless = yield* spentElsewhere(other, renamed, [paid, {
        script: scripts.compile([0x6a, text]),
        value: 0n
      }])
      yield* bitcoin.mine()
      assert.isDefined(bitcoin.chain.ledger.confirmedIn(nameless))
      assert.strictEqual((yield* endedAnywhere(url, first)).status, "success")
      assert.strictEqual(yield* etherOf(found.recipient), BigInt(first.details.currencyOut.amount))
      // Both are in one block, which the service has read.
      assert.deepInclude(yield* statusAnywhere(url, second), { status: "waiting", inTxHashes: [] })
      assert.strictEqual(yield* etherOf(unknown.recipient), 0n)
    }))

  it.effect("within Bitcoin are the user's own payment, which names the request and is found in its block", () =>
    Effect.gen(function*() {
      const { bitcoin, heldOnBitcoin, url, wallet } = yield* Running
      const [user, other] = [yield* wallet("P2PKH", 300_000n), yield* wallet("P2TR")]
      const quoted = yield* quoteBitcoin(url, fromBitcoin(user, other.address, [bitcoinChainId, BTC], 100_000n))
      assert.deepStrictEqual(quoted.steps.map(({ id }) => id), ["send"])
      const id = yield* deposited(bitcoin, user, quoted)
      yield* bitcoin.mine()
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", txHashes: [id] })
      assert.strictEqual(heldOnBitcoin(other.address), 100_000n)
      const fee = BigInt(quoted.fees["gas"]?.amount ?? -1)
      assert.strictEqual(heldOnBitcoin(user.address), 200_000n - fee)
    }))

  it.effect("are refused by name where nothing could be signed", () =>
    Effect.gen(function*() {
      const { bitcoin, give, wallet } = yield* Running
      const user = yield* wallet("P2WPKH", 50_000n)
      const asked = (of: Wallet, amount: bigint, changes: object = {}) =>
        Effect.flatMap(forEther(of, amount, changes), ({ body }) => refusalOf(body))
      assert.strictEqual(yield* asked(user, 50_000n), "400 INSUFFICIENT_USER_BALANCE user")
      const poor = yield* wallet("P2PKH")
      assert.strictEqual(yield* asked(poor, 40_000n), "400 INSUFFICIENT_USER_BALANCE user")
      // Not in a block yet.
      yield* Effect.promise(() => bitcoin.chain.fund(poor.script, 60_000n))
      assert.strictEqual(yield* asked(poor, 40_000n), "400 INSUFFICIENT_USER_BALANCE user")
      const nested = yield* wallet("P2SH-P2WPKH", 60_000n)
      const field = "additionalData.userPublicKey"
      assert.strictEqual(
        yield* asked(nested, 40_000n, { additionalData: {} }),
        `400 INVALID_REQUEST ${field}`
      )
      assert.strictEqual(
        yield* asked(nested, 40_000n, { additionalData: { userPublicKey: `02${"11".repeat(32)}` } }),
        `400 INVALID_REQUEST ${field}`
      )
      const p2wsh = "bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry"
      assert.strictEqual(yield* asked({ ...user, address: p2wsh }, 40_000n), "400 INVALID_REQUEST user")
      yield* give(user.script, 60_000n)
      assert.strictEqual(yield* asked(user, 40_000n, { usePermit: true }), "400 INVALID_REQUEST usePermit")
      assert.strictEqual(
        yield* asked(user, 40_000n, { explicitDeposit: false }),
        "400 INVALID_REQUEST explicitDeposit"
      )
    }))
})

type Output = Pick<Transaction["outs"][number], "script" | "value">

const FEE = 50_000n

/** Spends the first coin of a transaction otherwise, and returns the rest to its owner, at a fee that replaces it. */
const spentElsewhere = Effect.fnUntraced(
  function*(wallet: Wallet, { ins: [input = assert.fail("no input")] }: Transaction, outputs: ReadonlyArray<Output>) {
    const { bitcoin } = yield* Running
    const id = Buffer.from(input.hash.toReversed()).toString("hex")
    const value = bitcoin.chain.ledger.transaction(id)?.outs[input.index]?.value ?? 0n
    const left = outputs.reduce((sum, output) => sum - output.value, value) - FEE
    const psbt = new Psbt({ network: networks.regtest, maximumFeeRate: 1_000_000 })
    psbt.addInput({ hash: input.hash, index: input.index, witnessUtxo: { script: wallet.script, value } })
    psbt.addOutputs([...outputs, { script: wallet.script, value: left }])
    return yield* broadcast(bitcoin.explorerUrl, wallet.signed(psbt.toHex()))
  }
)

/** Of so much that one block is not enough. */
const LARGE = 18_000_000n

/** A large deposit that was seen in one block and waits for the second. */
const seenOnce = Effect.gen(function*() {
  const { bitcoin, url, wallet } = yield* Running
  const user = yield* wallet("P2WPKH", 20_000_000n)
  // The reorg takes back the deposit, and not the coin that it spends.
  yield* bitcoin.mine()
  const { body, recipient } = yield* forEther(user, LARGE)
  const quoted = yield* quoteBitcoin(url, body)
  const signed = signedBy(user, quoted)
  const id = yield* broadcast(bitcoin.explorerUrl, signed)
  yield* bitcoin.mine()
  yield* eventually("the deposit is seen", statusAnywhere(url, quoted), ({ inTxHashes }) => inTxHashes.includes(id))
  assert.strictEqual(yield* etherOf(recipient), 0n)
  return { id, quoted, recipient, signed, user }
})

layer(Running.layer, { excludeTestServices: true })("a deposit on Bitcoin that does not stay", (it) => {
  it.effect("is none while it waits: one that is replaced never was, and the next quote is paid by what is left", () =>
    Effect.gen(function*() {
      const { bitcoin, url, wallet } = yield* Running
      const user = yield* wallet("P2WPKH", 300_000n)
      const { body, recipient } = yield* forEther(user, 100_000n)
      const first = yield* quoteBitcoin(url, body)
      const signed = signedBy(user, first)
      yield* broadcast(bitcoin.explorerUrl, signed)
      yield* spentElsewhere(user, signed, [])
      yield* bitcoin.mine()
      const second = yield* quoteBitcoin(url, body)
      assert.strictEqual(second.details.userBalance, "250000")
      yield* deposited(bitcoin, user, second)
      yield* bitcoin.mine()
      assert.strictEqual((yield* endedAnywhere(url, second)).status, "success")
      assert.deepInclude(yield* statusAnywhere(url, first), { status: "waiting", inTxHashes: [] })
      assert.strictEqual(yield* etherOf(recipient), BigInt(second.details.currencyOut.amount))
    }))

  it.effect("is filled once when a reorg of two blocks takes it back and a later block has it again", () =>
    Effect.gen(function*() {
      const { bitcoin, environment, url } = yield* Running
      const { id, quoted, recipient } = yield* seenOnce
      yield* bitcoin.reorg(2)
      yield* bitcoin.mine(2)
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [id] })
      const filled = BigInt(quoted.details.currencyOut.amount)
      assert.strictEqual(yield* etherOf(recipient), filled)
      // Each sighting of it has a filling. Once both have ended, nothing more comes.
      yield* Effect.raceFirst(
        eventually("its fillings have ended", openDeposits(environment), (open) => open === 0),
        slowingBlocks(bitcoin.mine())
      )
      assert.strictEqual(yield* etherOf(recipient), filled)
    }))

  it.effect("is not filled when a reorg of two blocks takes it back and its coin is spent elsewhere", () =>
    Effect.gen(function*() {
      const { bitcoin, url } = yield* Running
      const { quoted, recipient, signed, user } = yield* seenOnce
      yield* bitcoin.reorg(2, "dropped")
      yield* spentElsewhere(user, signed, [])
      yield* bitcoin.mine(3)
      yield* eventually("the deposit is gone", statusAnywhere(url, quoted), ({ status }) => status === "waiting")
      assert.strictEqual(yield* etherOf(recipient), 0n)
    }))
})
