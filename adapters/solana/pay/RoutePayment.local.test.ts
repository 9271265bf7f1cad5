/** Fills that swap, on a local chain with pools: whole or not at all, at their limit, and found again on the chain. */
import { assert, describe, it } from "@effect/vitest"
import { address, createNoopSigner, createSolanaRpc } from "@solana/kit"
import type { Address as SolanaAddress, Instruction } from "@solana/kit"
import { getTransferSolInstruction } from "@solana-program/system"
import { getCloseAccountInstruction, getCreateAssociatedTokenIdempotentInstruction } from "@solana-program/token"
import { Effect, Redacted, Result } from "effect"
import type { Scope } from "effect"
import { anyFree } from "../../../hosts/localnet/nodes/Port.ts"
import { genesis } from "../../../hosts/localnet/nodes/solana/Genesis.ts"
import * as Jupiter from "../../../hosts/localnet/nodes/solana/jupiter/JupiterServer.ts"
import { routeInstructions } from "../../../hosts/localnet/nodes/solana/jupiter/RouteInstructions.ts"
import { bestRoute } from "../../../hosts/localnet/nodes/solana/jupiter/Routes.ts"
import { wallet } from "../../../hosts/localnet/nodes/solana/node/Account.ts"
import { genesisHashOf } from "../../../hosts/localnet/nodes/solana/node/Chain.ts"
import { localTransaction } from "../../../hosts/localnet/nodes/solana/node/Faucet.ts"
import { keyOfName } from "../../../hosts/localnet/nodes/solana/node/LocalKey.ts"
import { holding } from "../../../hosts/localnet/nodes/solana/node/TokenAccount.ts"
import { program as depository, tokenAccount } from "../../../hosts/localnet/nodes/solana/DepositoryProgram.ts"
import type { Mint } from "../../../hosts/localnet/nodes/solana/Mints.ts"
import { usdc } from "../../../hosts/localnet/nodes/solana/Mints.ts"
import { gem, pools, program, wrappedSol } from "../../../hosts/localnet/nodes/solana/pools/Pools.ts"
import { Solana } from "../../../hosts/localnet/nodes/solana/Solana.ts"
import { instructionsIn, poolsIn, unitLimitsIn } from "../../../hosts/localnet/nodes/solana/testing/RouteOf.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { FillPayment } from "../../../ports/chain/PaymentKinds.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { hexFromBytes } from "../../../src/domain/encoding/Hex.ts"
import { addressCodec } from "../../../src/domain/families/index.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { solana as configured } from "../../../src/domain/quote/testing/Chains.ts"
import { localEd25519 } from "../../signing/LocalSigner.ts"
import { kitInstruction } from "../rpc/Instructions.ts"
import { layer as layerPorts } from "../TransferPorts.ts"
import { decodeSigned } from "./SignedBytes.ts"
import { newAddress, newOrder } from "./testing/PaymentFixture.ts"

const codec = addressCodec("solana-vm")
const named = (name: string) => keyOfName(`causeway.routes.${name}`)
const [solver, mover, allocator] = [named("solver"), named("mover"), named("allocator")]
const ours = (text: string) => Result.getOrThrow(codec.parse(text))

const currencyOf = ({ address: text, decimals, symbol }: Mint): Currency => ({
  ...configured.native,
  address: Result.getOrThrow(codec.parseCurrency(text)),
  symbol,
  name: symbol,
  decimals,
  isNative: false
})
const [bridged, wanted] = [currencyOf(usdc), currencyOf(gem)]

const chain: Chain = {
  ...configured,
  genesisHash: genesisHashOf("causeway.routes"),
  depository: ours(depository),
  currencies: [configured.native, bridged],
  swaps: {
    wrapped: ours(wrappedSol.address),
    through: [ours(usdc.address)],
    sources: [{ id: "jupiter", router: ours(program) }],
    currencies: [wanted]
  }
}

/** With a server of routes, or with one that does not answer. */
const start = Effect.fnUntraced(function*(isAnswering = true) {
  const local = yield* Solana.start({
    name: "causeway.routes",
    genesis: genesis({ accounts: [mover.address], solver: solver.address, allocator: allocator.address })
  })
  const port = yield* anyFree
  const server = isAnswering ? yield* Jupiter.start(local.chain, port) : undefined
  const ports = layerPorts(
    { urls: new Map([[chain.id, [Redacted.make(local.url)]]]), quorums: new Map() },
    { deposits: undefined },
    {
      solver: localEd25519(Redacted.make(solver.seed)),
      jupiter: { url: server?.url ?? `http://127.0.0.1:${port}/swap/v1`, apiKey: undefined }
    }
  )
  const held = (owner: SolanaAddress, mint: Mint) =>
    Effect.map(
      Effect.promise(() => tokenAccount(owner, mint.address, mint.program)),
      (account) => holding(local.chain.read(account, "processed"))?.amount ?? 0n
    )
  /** Somebody else buys GEM for this much USDC. */
  const buy = (amount: bigint) =>
    Effect.promise(async () => {
      const reserves = new Map(pools.flatMap(({ sides }) =>
        sides.map(({ vault }) => [vault, holding(local.chain.read(vault, "processed"))?.amount ?? 0n] as const)
      ))
      const hops = bestRoute(pools, reserves, {
        inputMint: usdc.address,
        outputMint: gem.address,
        amount,
        exact: "in",
        mostHops: 1,
        allows: () =>
          true
      }) ?? assert.fail("no route")
      const made = await routeInstructions({
        user: mover.address,
        hops,
        exact: "in",
        slippageBps: 10,
        most: amount,
        shared: true,
        wraps: true,
        destination: undefined
      })
      const all = [...made.setupInstructions, made.swapInstruction].map(({ accounts, data, programId }) =>
        kitInstruction({
          program: ours(programId),
          accounts: accounts.map((each) => ({
            address: ours(each.pubkey),
            signs: each.isSigner,
            writes: each.isWritable
          })),
          data: hexFromBytes(new Uint8Array(Buffer.from(data, "base64")))
        })
      )
      const outcome = local.chain.submit(localTransaction(local.chain, [mover], all))
      if (outcome._tag === "Dropped" || outcome.record.meta.err !== null) assert.fail("the mover's swap failed")
    })
  return { local, ports, held, buy }
})

const fillOf = (
  recipient: SolanaAddress,
  amount: bigint,
  least: bigint,
  currency = bridged,
  mostHops?: number
): FillPayment => ({
  _tag: "Fill",
  chain,
  currency,
  recipient: ours(recipient),
  amount,
  orderId: newOrder(),
  topup: 0n,
  authorizations: [],
  calls: undefined,
  swap: { currency: wanted, least, mostHops }
})

const ONE = 1_000_000n
const RENT = 2_039_280n

const test = (name: string, effect: Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.orDie(Effect.scoped(effect)))

describe("a fill that swaps", () => {
  test(
    "pays once by the stored bytes, costs what was estimated, and is found on the chain as what the solver paid",
    Effect.gen(function*() {
      const { held, local, ports } = yield* start()
      yield* Effect.gen(function*() {
        const [treasury, gas, sent] = [yield* Treasury, yield* Gas, yield* SentTransactions]
        for (const [currency, amount] of [[bridged, 100n * ONE], [configured.native, 1_000_000_000n]] as const) {
          const recipient = yield* newAddress
          const payment = fillOf(recipient, amount, 40_000_000_000n, currency)
          const estimated = yield* gas.ofPayment(payment)
          assert.strictEqual((yield* gas.opening(payment)).rent, RENT)
          const before = {
            usdc: yield* held(solver.address, usdc),
            lamports: local.chain.read(solver.address, "processed")?.lamports ?? 0n
          }
          const prepared = yield* treasury.prepare(payment)
          const signed = yield* prepared.sign(0n, [])
          for (let times = 0; times < 3; times += 1) {
            assert.strictEqual(yield* treasury.broadcast(chain, signed), "accepted")
          }
          yield* local.finalize
          const outcome = yield* treasury.outcome(chain, [signed], "endpoint")
          assert.deepInclude(outcome, { _tag: "Included", succeeded: true, gasPaid: estimated, rentPaid: RENT })
          assert.isTrue((yield* held(recipient, gem)) >= 40_000_000_000n)
          const spent = before.lamports - (local.chain.read(solver.address, "processed")?.lamports ?? 0n)
          assert.deepStrictEqual(
            [before.usdc - (yield* held(solver.address, usdc)), spent],
            currency.isNative ? [0n, amount + estimated + RENT] : [amount, estimated + RENT]
          )
          assert.deepStrictEqual((yield* sent.find(chain, signed.transactionId))?.payment, {
            orderId: payment.orderId,
            recipient: payment.recipient,
            currency: currency.address,
            amount,
            through: "calls"
          })
        }
      }).pipe(Effect.provide(ports))
    })
  )

  test(
    "costs the rent of its chain now, and leaves the server nothing of a rent that fell (SOLANA-24)",
    Effect.gen(function*() {
      const { local, ports } = yield* start()
      local.chain.bank.setRent(696n)
      yield* Effect.gen(function*() {
        const [treasury, gas] = [yield* Treasury, yield* Gas]
        const recipient = yield* newAddress
        const payment = fillOf(recipient, 100n * ONE, 40_000_000_000n)
        assert.strictEqual((yield* gas.opening(payment)).rent, 203_928n)
        // A route that takes a lamport more than it gives and the chain asks for.
        yield* local.setFault({
          kind: "lie",
          methods: ["simulateTransaction"],
          tell: (told) => {
            const { value, ...rest } = told as { value: { accounts: ReadonlyArray<{ lamports: bigint }> } }
            const [first, ...others] = value.accounts
            return {
              ...rest,
              value: { ...value, accounts: [{ ...first, lamports: (first?.lamports ?? 0n) - 1n }, ...others] }
            }
          }
        })
        const refused = yield* Effect.flip(treasury.prepare(payment))
        assert.isTrue(refused instanceof PaymentRefused && refused.reason === "reverts")
        yield* local.setFault(undefined)
        const before = local.chain.read(solver.address, "processed")?.lamports ?? 0n
        const prepared = yield* treasury.prepare(payment)
        assert.strictEqual(prepared.rent, 203_928n)
        const signed = yield* prepared.sign(0n, [])
        assert.strictEqual(yield* treasury.broadcast(chain, signed), "accepted")
        yield* local.finalize
        const outcome = yield* treasury.outcome(chain, [signed], "endpoint")
        assert.deepInclude(outcome, { _tag: "Included", succeeded: true, rentPaid: 203_928n })
        const fee = outcome._tag === "Included" ? outcome.gasPaid : 0n
        const after = local.chain.read(solver.address, "processed")?.lamports ?? 0n
        assert.deepStrictEqual([before - after, prepared.costs[0]?.amount], [fee + 203_928n, fee + 203_928n])
        // For a minute after a rise it would take more than is known.
        local.chain.bank.setRent(697n)
        const unknown = yield* Effect.flip(treasury.prepare(fillOf(yield* newAddress, 100n * ONE, 40_000_000_000n)))
        assert.isTrue(unknown instanceof PaymentRefused && unknown.reason === "reverts")
      }).pipe(Effect.provide(ports))
    })
  )

  test(
    "takes the best way of the allowed length, with a limit of units that is its simulation's, a fifth and 20,000",
    Effect.gen(function*() {
      const { local, ports } = yield* start()
      yield* Effect.gen(function*() {
        const treasury = yield* Treasury
        for (
          const [mostHops, way] of [[undefined, ["Deep", "Gems"]], [2, ["Deep", "Gems"]], [1, ["Shallow"]]] as const
        ) {
          const recipient = yield* newAddress
          const payment = fillOf(recipient, 1_000_000_000n, 70_000_000_000n, configured.native, mostHops)
          const { raw } = yield* (yield* treasury.prepare(payment)).sign(0n, [])
          const { wire } = decodeSigned(raw)
          const instructions = instructionsIn(wire)
          assert.deepStrictEqual(poolsIn(instructions), way)
          const { value } = yield* Effect.promise(() =>
            createSolanaRpc(local.url).simulateTransaction(wire, { commitment: "confirmed", encoding: "base64" }).send()
          )
          const units = Number(value.unitsConsumed ?? 0)
          assert.isAbove(units, 10_000)
          assert.deepStrictEqual(unitLimitsIn(instructions), [Math.ceil(units * 1.2) + 20_000])
        }
      }).pipe(Effect.provide(ports))
    })
  )

  test(
    "is not signed below its least output; signed before the market moved it expires, or fails in a block and moves only its fee",
    Effect.gen(function*() {
      const { buy, held, local, ports } = yield* start()
      yield* Effect.gen(function*() {
        const treasury = yield* Treasury
        const recipient = yield* newAddress
        const refusal = (least: bigint) =>
          Effect.map(
            Effect.flip(treasury.prepare(fillOf(recipient, 100n * ONE, least))),
            (refused) => refused instanceof PaymentRefused ? refused.reason : refused._tag
          )
        assert.strictEqual(yield* refusal(50_000_000_000n), "reverts")
        const prepared = yield* treasury.prepare(fillOf(recipient, 100n * ONE, 49_500_000_000n))
        const signed = yield* prepared.sign(0n, [])
        yield* buy(200_000n * ONE)
        assert.strictEqual(yield* refusal(49_500_000_000n), "reverts")
        const before = yield* held(solver.address, usdc)
        // The node's own simulation refuses it, so it waits until it expires.
        assert.strictEqual(yield* treasury.broadcast(chain, signed), "accepted")
        yield* local.mine(1)
        assert.strictEqual((yield* treasury.outcome(chain, [signed], "endpoint"))._tag, "Unseen")
        yield* local.mine(151 + local.chain.options.finalizedAfter)
        assert.strictEqual((yield* treasury.outcome(chain, [signed], "quorum"))._tag, "Expired")
        // By the pool that is moved next: another way would still give enough.
        const direct = fillOf(recipient, 100n * ONE, 45_000_000_000n, bridged, 1)
        const late = yield* (yield* treasury.prepare(direct)).sign(0n, [])
        yield* buy(200_000n * ONE)
        yield* Effect.promise(() =>
          createSolanaRpc(local.url)
            .sendTransaction(decodeSigned(late.raw).wire, { encoding: "base64", skipPreflight: true }).send()
        )
        yield* local.finalize
        assert.deepInclude(yield* treasury.outcome(chain, [late], "quorum"), {
          _tag: "Included",
          succeeded: false,
          final: true,
          rentPaid: 0n
        })
        assert.deepStrictEqual([yield* held(solver.address, usdc), yield* held(recipient, gem)], [before, 0n])
      }).pipe(Effect.provide(ports))
    })
  )

  test(
    "opens no account that its recipient closed after it was signed: it fails in its block, and costs only its fee",
    Effect.gen(function*() {
      const { held, local, ports } = yield* start()
      yield* Effect.gen(function*() {
        const treasury = yield* Treasury
        const recipient = named("closer")
        local.chain.setAccount(recipient.address, wallet(1_000_000_000n))
        const ata = yield* Effect.promise(() => tokenAccount(recipient.address, gem.address, gem.program))
        const owner = createNoopSigner(recipient.address)
        const does = (instruction: Instruction) => {
          const outcome = local.chain.submit(localTransaction(local.chain, [recipient], [instruction]))
          if (outcome._tag !== "Executed" || outcome.record.meta.err !== null) {
            assert.fail("the owner's transaction failed")
          }
        }
        does(getCreateAssociatedTokenIdempotentInstruction({
          payer: owner,
          ata,
          owner: recipient.address,
          mint: gem.address,
          tokenProgram: gem.program
        }))
        yield* local.mine(1)
        const prepared = yield* treasury.prepare(fillOf(recipient.address, 100n * ONE, 40_000_000_000n))
        assert.strictEqual(prepared.rent, 0n)
        const signed = yield* prepared.sign(0n, [])
        does(getCloseAccountInstruction({ account: ata, destination: recipient.address, owner }))
        const before = [
          local.chain.read(solver.address, "processed")?.lamports ?? 0n,
          yield* held(solver.address, usdc)
        ]
        yield* Effect.promise(() =>
          createSolanaRpc(local.url)
            .sendTransaction(decodeSigned(signed.raw).wire, { encoding: "base64", skipPreflight: true }).send()
        )
        yield* local.finalize
        const outcome = yield* treasury.outcome(chain, [signed], "quorum")
        assert.deepInclude(outcome, { _tag: "Included", succeeded: false, rentPaid: 0n })
        const after = [local.chain.read(solver.address, "processed")?.lamports ?? 0n, yield* held(solver.address, usdc)]
        const fee = outcome._tag === "Included" ? outcome.gasPaid : 0n
        assert.deepStrictEqual(after, [(before[0] ?? 0n) - fee, before[1] ?? 0n])
        const again = yield* treasury.prepare(fillOf(recipient.address, 100n * ONE, 40_000_000_000n))
        assert.strictEqual(again.rent, RENT)
      }).pipe(Effect.provide(ports))
    })
  )

  test(
    "counts all of the rent of an account to whose address lamports were sent: its owner may take them before its block",
    Effect.gen(function*() {
      const { local, ports } = yield* start()
      yield* Effect.gen(function*() {
        const treasury = yield* Treasury
        for (const emptied of [false, true]) {
          const recipient = named(`sent to${emptied ? " and emptied" : ""}`)
          local.chain.setAccount(recipient.address, wallet(1_000_000_000n))
          const ata = yield* Effect.promise(() => tokenAccount(recipient.address, gem.address, gem.program))
          const owner = createNoopSigner(recipient.address)
          const does = (...instructions: ReadonlyArray<Instruction>) => {
            const outcome = local.chain.submit(localTransaction(local.chain, [recipient], instructions))
            if (outcome._tag !== "Executed" || outcome.record.meta.err !== null) {
              assert.fail("the owner's transaction failed")
            }
          }
          const sent = 890_880n
          does(getTransferSolInstruction({ source: owner, destination: ata, amount: sent }))
          yield* local.mine(1)
          const payment = fillOf(recipient.address, 100n * ONE, 40_000_000_000n)
          assert.strictEqual((yield* (yield* Gas).opening(payment)).rent, RENT)
          const prepared = yield* treasury.prepare(payment)
          assert.strictEqual(prepared.rent, RENT)
          const [lamports] = prepared.costs
          assert.isTrue((lamports?.amount ?? 0n) > RENT, "its cost holds all of the rent")
          const signed = yield* prepared.sign(0n, [])
          if (emptied) {
            does(
              getCreateAssociatedTokenIdempotentInstruction({
                payer: owner,
                ata,
                owner: recipient.address,
                mint: gem.address,
                tokenProgram: gem.program
              }),
              getCloseAccountInstruction({ account: ata, destination: recipient.address, owner })
            )
          }
          assert.strictEqual(yield* treasury.broadcast(chain, signed), "accepted")
          yield* local.finalize
          assert.deepInclude(yield* treasury.outcome(chain, [signed], "endpoint"), {
            _tag: "Included",
            succeeded: true,
            rentPaid: emptied ? RENT : RENT - sent
          })
        }
      }).pipe(Effect.provide(ports))
    })
  )

  test(
    "waits where the server of routes does not answer, and is refused to what is no wallet",
    Effect.gen(function*() {
      const [silent, answering] = [yield* start(false), yield* start()]
      const refused = (payment: FillPayment) =>
        Effect.gen(function*() {
          const found = yield* Effect.flip((yield* Treasury).prepare(payment))
          return found instanceof PaymentRefused ? [found.reason, found.unfit?._tag] : [found._tag, undefined]
        })
      const recipient = yield* newAddress
      const payment = fillOf(recipient, 100n * ONE, 1n)
      assert.deepStrictEqual(yield* Effect.provide(refused(payment), silent.ports), ["unroutable", undefined])
      const toMint = fillOf(address(usdc.address), 100n * ONE, 1n)
      assert.deepStrictEqual(yield* Effect.provide(refused(toMint), answering.ports), ["reverts", "NoWallet"])
      const more = fillOf(recipient, 10n ** 15n, 1n)
      assert.deepStrictEqual(yield* Effect.provide(refused(more), answering.ports), ["insufficient-funds", undefined])
    })
  )
})
