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
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getSetAuthorityInstruction,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import { Context, Effect, Layer } from "effect"
import { localTransaction } from "../../../hosts/localnet/nodes/solana/node/Faucet.ts"
import { keyOfSeed } from "../../../hosts/localnet/nodes/solana/node/LocalKey.ts"
import type { LocalKey } from "../../../hosts/localnet/nodes/solana/node/LocalKey.ts"
import { wallet as walletOf } from "../../../hosts/localnet/nodes/solana/node/Account.ts"
import { readTransaction } from "../../../hosts/localnet/nodes/solana/node/Submitted.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { PlainPayment } from "../../../ports/chain/PaymentKinds.ts"
import { decodeSigned } from "./SignedBytes.ts"
import { newAddress, newOrder, ours, SOL, startFixture } from "./testing/PaymentFixture.ts"

class Fixture extends Context.Service<Fixture, Effect.Success<typeof startFixture>>()("test/TokenAccountsStage") {
  static readonly layer = Layer.effect(Fixture, Effect.suspend(() => startFixture))
}

const RENT = 2_039_280n
const AMOUNT = 250_000n
let keys = 0

/** A wallet with its token account, which it opened itself. */
const newWallet = Effect.gen(function*() {
  const { local, mint, tokensOf } = yield* Fixture
  keys += 1
  const key = keyOfSeed(new Uint8Array(32).fill(keys))
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

const close = ({ ata, key }: Wallet) =>
  does(
    key,
    getCloseAccountInstruction({ account: ata, destination: key.address, owner: createNoopSigner(key.address) })
  )

const handOn = ({ ata, key }: Wallet, to: Address) =>
  does(
    key,
    getSetAuthorityInstruction({
      owned: ata,
      owner: createNoopSigner(key.address),
      authorityType: AuthorityType.AccountOwner,
      newAuthority: to
    })
  )

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
const paid = Effect.fnUntraced(function*(wallet: Wallet, meanwhile: Effect.Effect<void, never, Fixture>) {
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

layer(Fixture.layer, { excludeTestServices: true })("a payment of tokens", (it) => {
  it.effect("is carried out to an open account at the fee alone", () =>
    withFixture(Effect.gen(function*() {
      const wallet = yield* newWallet
      assert.deepStrictEqual(yield* paid(wallet, Effect.void), { succeeded: true, lamports: 5_000n, tokens: AMOUNT })
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

  it.effect("opens an account to whose address others have sent lamports, and pays only what is missing", () =>
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
      assert.strictEqual((yield* (yield* Gas).opening(payment)).rent, RENT - sent)
      assert.deepStrictEqual(yield* paid(wallet, Effect.void), {
        succeeded: true,
        lamports: 5_000n + RENT - sent,
        tokens: AMOUNT
      })
    })))
})
