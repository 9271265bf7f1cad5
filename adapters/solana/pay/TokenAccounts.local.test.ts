/**
 * Payments of tokens while the recipient's account is closed, handed to another owner or opened by others: nobody gets
 * rent that the payment's price did not hold, and nothing goes to another owner.
 */
import { assert, layer } from "@effect/vitest"
import { createNoopSigner } from "@solana/kit"
import type { Address, Instruction } from "@solana/kit"
import { getTransferSolInstruction } from "@solana-program/system"
import {
  AuthorityType,
  findAssociatedTokenPda,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getSetAuthorityInstruction,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import { Context, Effect, Layer, Option } from "effect"
import * as fc from "fast-check"
import { localTransaction } from "../../../hosts/localnet/nodes/solana/node/Faucet.ts"
import { keyOfSeed } from "../../../hosts/localnet/nodes/solana/node/LocalKey.ts"
import type { LocalKey } from "../../../hosts/localnet/nodes/solana/node/LocalKey.ts"
import { wallet as walletOf } from "../../../hosts/localnet/nodes/solana/node/Account.ts"
import { holding, token2022Program } from "../../../hosts/localnet/nodes/solana/node/TokenAccount.ts"
import { readTransaction } from "../../../hosts/localnet/nodes/solana/node/Submitted.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { PlainPayment } from "../../../ports/chain/PaymentKinds.ts"
import { asCurrency } from "../../../src/domain/families/AddressCodec.ts"
import { decodeSigned } from "./SignedBytes.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { mintData, newAddress, newOrder, ours, SOL, startFixture, tokenData } from "./testing/PaymentFixture.ts"

class Fixture extends Context.Service<Fixture, Effect.Success<typeof startFixture>>()("test/TokenAccountsStage") {
  static readonly layer = Layer.effect(Fixture, Effect.suspend(() => startFixture))
}

const RENT = 2_039_280n

/** Behind the layout of a token account: its kind, and the extension (8) by which its owner wants a memo (1). */
const WANTS_MEMOS = [2, 8, 0, 1, 0, 1]
const AMOUNT = 250_000n
let keys = 0

/** A wallet with its token account, which it opened itself. */
const newWallet = Effect.gen(function*() {
  const { local, mint, tokensOf } = yield* Fixture
  keys += 1
  const key = keyOfSeed(new Uint8Array(Uint32Array.of(keys, 0, 0, 0, 0, 0, 0, 0).buffer))
  local.chain.setAccount(key.address, walletOf(SOL))
  const ata = yield* tokensOf(key.address)
  const open = getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(key.address),
    ata,
    owner: key.address,
    mint,
    tokenProgram: TOKEN_PROGRAM_ADDRESS
  })
  yield* does(key, open)
  return { key, ata }
})

/** An owner's transaction, executed at once. */
const does = Effect.fnUntraced(function*(key: LocalKey, instruction: Instruction) {
  const { local } = yield* Fixture
  const outcome = local.chain.submit(localTransaction(local.chain, [key], [instruction]))
  if (outcome._tag !== "Executed" || outcome.record.meta.err !== null) assert.fail("the owner's transaction failed")
  yield* local.mine()
})

type Wallet = Effect.Success<typeof newWallet>

const closing = ({ ata, key }: Wallet) =>
  getCloseAccountInstruction({ account: ata, destination: key.address, owner: createNoopSigner(key.address) })

const handingOn = ({ ata, key }: Wallet, to: Address) =>
  getSetAuthorityInstruction({
    owned: ata,
    owner: createNoopSigner(key.address),
    authorityType: AuthorityType.AccountOwner,
    newAuthority: to
  })

const close = (wallet: Wallet) => does(wallet.key, closing(wallet))
const handOn = (wallet: Wallet, to: Address) => does(wallet.key, handingOn(wallet, to))

const paymentTo = Effect.fnUntraced(function*(recipient: Address) {
  const { chain, usdc } = yield* Fixture
  return {
    _tag: "Payout",
    chain,
    currency: usdc,
    recipient: ours(recipient),
    amount: AMOUNT,
    orderId: newOrder()
  } satisfies PlainPayment
})

const prepare = Effect.fnUntraced(function*(recipient: Address) {
  return yield* (yield* Treasury).prepare(yield* paymentTo(recipient))
})

const withFixture = <A, E>(program: Effect.Effect<A, E, Gas | Fixture | Treasury>) =>
  Effect.flatMap(Fixture, ({ adapters }) => Effect.provide(program, adapters))

/** Signs, lets the owner act, sends, and says what became of it and what the solver lost in lamports and tokens. */
const paid = Effect.fnUntraced(function*(wallet: Wallet, meanwhile: Effect.Effect<unknown, never, Fixture>) {
  const { chain, lamportsOf, local, solver, usdc } = yield* Fixture
  const treasury = yield* Treasury
  const signed = yield* (yield* prepare(wallet.key.address)).sign(0n, [])
  const held = () => Effect.map(treasury.inventory(chain, usdc, "account"), ([units = 0n]) => units)
  const before = { lamports: lamportsOf(solver), tokens: yield* held() }
  yield* meanwhile
  local.chain.submit(readTransaction(new Uint8Array(Buffer.from(decodeSigned(signed.raw).wire, "base64"))))
  yield* local.finalize
  const outcome = yield* treasury.outcome(chain, [signed], "endpoint")
  return {
    succeeded: outcome._tag === "Included" ? outcome.succeeded : outcome._tag,
    lamports: before.lamports - lamportsOf(solver),
    tokens: before.tokens - (yield* held())
  }
})

const moves = ["open", "close", "hand on", "send lamports"] as const

/** What an owner may try at any time. It fails where the account does not allow it. */
const moved = Effect.fnUntraced(function*(wallet: Wallet, move: (typeof moves)[number]) {
  const { mint, local } = yield* Fixture
  const signer = createNoopSigner(wallet.key.address)
  const instructions = {
    "open": () =>
      getCreateAssociatedTokenIdempotentInstruction({
        payer: signer,
        ata: wallet.ata,
        owner: wallet.key.address,
        mint,
        tokenProgram: TOKEN_PROGRAM_ADDRESS
      }),
    "close": () => closing(wallet),
    "hand on": () => handingOn(wallet, mint),
    "send lamports": () => getTransferSolInstruction({ source: signer, destination: wallet.ata, amount: 890_880n })
  }
  local.chain.submit(localTransaction(local.chain, [wallet.key], [instructions[move]()]))
  yield* local.mine()
})

/** The tokens in the wallet's account while it is the wallet's own. */
const heldBy = Effect.fnUntraced(function*({ ata, key }: Wallet) {
  const { local } = yield* Fixture
  const found = holding(local.chain.read(ata, "processed"))
  return found?.owner === key.address ? found.amount : 0n
})

layer(Fixture.layer, { excludeTestServices: true })("a payment of tokens", (it) => {
  it.effect("is carried out to an open account at the fee alone", () =>
    withFixture(Effect.gen(function*() {
      const wallet = yield* newWallet
      assert.deepStrictEqual(yield* paid(wallet, Effect.void), { succeeded: true, lamports: 5_000n, tokens: AMOUNT })
    })))

  it.effect("is carried out to an account of Token-2022 that takes transfers only right behind a memo", () =>
    withFixture(Effect.gen(function*() {
      const { account, chain, local, solver, usdc } = yield* Fixture
      const [mint, recipient] = [yield* newAddress, yield* newAddress]
      const accountOf = (owner: Address) =>
        Effect.promise(() => findAssociatedTokenPda({ mint, owner, tokenProgram: token2022Program }))
      const [source] = yield* accountOf(solver)
      const [destination] = yield* accountOf(recipient)
      local.chain.setAccount(mint, account(mintData(6), token2022Program))
      local.chain.setAccount(source, account(tokenData(mint, solver, AMOUNT), token2022Program))
      local.chain.setAccount(
        destination,
        account(Uint8Array.of(...tokenData(mint, recipient, 0n), ...WANTS_MEMOS), token2022Program)
      )
      yield* local.mine()
      const currency = { ...usdc, address: asCurrency(ours(mint)) }
      const treasury = yield* Treasury
      const payment = { ...(yield* paymentTo(recipient)), currency }
      const signed = yield* (yield* treasury.prepare(payment)).sign(0n, [])
      assert.strictEqual(yield* treasury.broadcast(chain, signed), "accepted")
      yield* local.mine()
      assert.strictEqual(holding(local.chain.read(destination, "processed"))?.amount, AMOUNT)
    })))

  it.effect("opens no account that was closed after it was signed", () =>
    withFixture(Effect.gen(function*() {
      const wallet = yield* newWallet
      assert.deepStrictEqual(yield* paid(wallet, close(wallet)), { succeeded: false, lamports: 5_000n, tokens: 0n })
    })))

  it.effect("moves nothing to an account that was handed to another owner, before it was signed or after", () =>
    withFixture(Effect.gen(function*() {
      const [early, late, other] = [yield* newWallet, yield* newWallet, yield* newAddress]
      yield* handOn(early, other)
      const refused = yield* Effect.flip(prepare(early.key.address))
      assert.strictEqual(refused instanceof PaymentRefused ? refused.reason : refused._tag, "reverts")
      assert.strictEqual(
        (yield* Effect.flip((yield* Gas).ofPayment(yield* paymentTo(early.key.address))))._tag,
        "PaymentRefused"
      )
      assert.deepStrictEqual(yield* paid(late, handOn(late, other)), { succeeded: false, lamports: 5_000n, tokens: 0n })
    })))

  it.effect("opens an account to whose address others have sent lamports, and pays only what is missing; all of it is counted", () =>
    withFixture(Effect.gen(function*() {
      const wallet = yield* newWallet
      yield* close(wallet)
      const sent = 890_880n
      yield* does(
        wallet.key,
        getTransferSolInstruction({
          source: createNoopSigner(wallet.key.address),
          destination: wallet.ata,
          amount: sent
        })
      )
      const payment = yield* paymentTo(wallet.key.address)
      assert.strictEqual((yield* (yield* Gas).opening(payment)).rent, RENT)
      assert.deepStrictEqual(yield* paid(wallet, Effect.void), {
        succeeded: true,
        lamports: 5_000n + RENT - sent,
        tokens: AMOUNT
      })
    })))

  it.effect("gives no more rent than was counted where the address is emptied after it was signed", () =>
    withFixture(Effect.gen(function*() {
      const wallet = yield* newWallet
      yield* Effect.forEach(["close", "send lamports"] as const, (move) => moved(wallet, move))
      assert.strictEqual((yield* prepare(wallet.key.address)).rent, RENT)
      const emptied = Effect.forEach(["open", "close"] as const, (move) => moved(wallet, move))
      assert.deepStrictEqual(yield* paid(wallet, emptied), {
        succeeded: true,
        lamports: 5_000n + RENT,
        tokens: AMOUNT
      })
    })))

  it.effect("never gives more rent than was counted as it was signed, nor anything to another owner, whatever owners do", () =>
    withFixture(Effect.gen(function*() {
      const services = yield* Effect.context<Gas | Fixture | Treasury>()
      const law = fc.asyncProperty(
        fc.array(fc.constantFrom(...moves), { maxLength: 4 }),
        fc.array(fc.constantFrom(...moves), { maxLength: 3 }),
        (before, after) =>
          Effect.runPromise(Effect.provideContext(
            Effect.gen(function*() {
              const wallet = yield* newWallet
              yield* Effect.forEach(before, (move) => moved(wallet, move))
              const prepared = yield* Effect.option(prepare(wallet.key.address))
              if (Option.isNone(prepared)) return
              const { rent = 0n } = prepared.value
              const held = yield* heldBy(wallet)
              const made = yield* paid(wallet, Effect.forEach(after, (move) => moved(wallet, move)))
              assert.isTrue(
                made.lamports <= 5_000n + rent,
                `${made.lamports} lamports were paid, with a rent of ${rent}`
              )
              const got = (yield* heldBy(wallet)) - held
              assert.strictEqual(made.tokens, made.succeeded === true ? AMOUNT : 0n)
              assert.strictEqual(got, made.tokens)
            }),
            services
          ))
      )
      yield* Effect.promise(() => fc.assert(law, { numRuns: inputs(60, 1_000) }))
    })))
})
