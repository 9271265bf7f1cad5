/** The depository program on a local chain: its behaviour, and attacks on it. Called through the unmodified client. */
import { assert, describe, it } from "@effect/vitest"
import type { Address, Instruction, KeyPairSigner } from "@solana/kit"
import { AccountRole, address, createNoopSigner, generateKeyPairSigner, isSolanaError } from "@solana/kit"
import { getTransferSolInstruction } from "@solana-program/system"
import { AuthorityType, getSetAuthorityInstruction } from "@solana-program/token"
import { Effect, Result, Schema } from "effect"
import { encodeSolanaWithdrawal, solanaWithdrawalId } from "../../../src/domain/families/solana/SolanaWithdrawal.ts"
import { solanaAddresses } from "../../../src/domain/families/solana/SolanaAddresses.ts"
import type { LocalKey } from "../../../hosts/localnet/nodes/solana/node/LocalKey.ts"
import { keyOfName } from "../../../hosts/localnet/nodes/solana/node/LocalKey.ts"
import * as Depository from "../../../hosts/localnet/nodes/solana/DepositoryProgram.ts"
import { feeToken, usdc } from "../../../hosts/localnet/nodes/solana/Mints.ts"
import type { Fixture } from "../../../hosts/localnet/nodes/solana/testing/Fixture.ts"
import { allocatorKey, otherKey, startFixture, userKey } from "../../../hosts/localnet/nodes/solana/testing/Fixture.ts"

const id = new Uint8Array(32).fill(0xab)
const floor = 890_880n

const withFixture = (name: string, use: (on: Fixture) => Promise<void>) =>
  it.live(name, () => Effect.scoped(Effect.flatMap(startFixture(), (on) => Effect.promise(() => use(on)))))

const Failed = Schema.Struct({
  InstructionError: Schema.Tuple([
    Schema.BigInt,
    Schema.Union([Schema.String, Schema.Struct({ Custom: Schema.BigInt })])
  ])
})

/** The error with which a transaction ends: the program's own number, or the runtime's error. */
const failure = async (
  { client: { outcome, send } }: Fixture,
  payer: KeyPairSigner,
  instructions: ReadonlyArray<Instruction>
): Promise<unknown> => {
  const { meta } = await outcome(await send(payer, instructions, { skipPreflight: true }))
  assert.isNotNull(meta.err, "it went through")
  const [, cause] = Schema.decodeUnknownSync(Failed)(meta.err).InstructionError
  return typeof cause === "string" ? cause : Number(cause.Custom)
}

const succeeds = async (
  { client: { outcome, send } }: Fixture,
  payer: KeyPairSigner,
  instructions: ReadonlyArray<Instruction>
) => {
  const found = await outcome(await send(payer, instructions))
  assert.isNull(found.meta.err)
  return found
}

const lamportsOf = async ({ client: { rpc } }: Fixture, key: Address) =>
  (await rpc.getBalance(key, { commitment: "processed" }).send()).value
const tokensOf = async ({ client: { rpc } }: Fixture, account: Address) =>
  BigInt((await rpc.getTokenAccountBalance(account, { commitment: "processed" }).send()).value.amount)

/** The event that a transaction logged, without its discriminator. */
const eventOf = (logs: ReadonlyArray<string> | null | undefined): Buffer => {
  const line = logs?.find((each) => each.startsWith("Program data: "))
  assert.isDefined(line)
  return Buffer.from(line.slice("Program data: ".length), "base64").subarray(8)
}

const replaced = (instruction: Instruction, index: number, by: Address, role?: AccountRole): Instruction => ({
  ...instruction,
  accounts: instruction.accounts!.map((account, at) =>
    at === index ? { address: by, role: role ?? account.role } : account
  )
})

/** Computed once: two equal requests must be one request, even across a second's end. */
const inAnHour = BigInt(Math.floor(Date.now() / 1000) + 3600)
const request = (change: Partial<Depository.TransferRequest> = {}): Depository.TransferRequest => ({
  recipient: otherKey.address,
  amount: 1_000_000n,
  nonce: 1n,
  expiration: inAnHour,
  ...change
})

/** Signature and execution of a request, as an executor sends them. */
const executed = async (
  executor: KeyPairSigner,
  asked: Depository.TransferRequest,
  by: LocalKey = allocatorKey,
  tokenProgram = usdc.program
): Promise<[Instruction, Instruction]> => {
  const hash = Depository.requestId(asked)
  return [
    Depository.verifySignature(by.address, by.sign(hash), hash),
    await Depository.executeTransfer(executor, asked, tokenProgram)
  ]
}

const paidIn = async (on: Fixture) => {
  await succeeds(on, on.user, [Depository.depositNative({ sender: on.user, amount: 50_000_000n, id })])
  for (const mint of [usdc, feeToken]) {
    await succeeds(on, on.user, [
      await Depository.depositToken({
        sender: on.user,
        amount: 10_000_000n,
        id,
        mint: mint.address,
        tokenProgram: mint.program
      })
    ])
  }
}

describe("deposits", () => {
  withFixture("of SOL arrive in the vault, with depositor and id", async (on) => {
    const depositor = (await generateKeyPairSigner()).address
    const { meta } = await succeeds(on, on.user, [
      Depository.depositNative({ sender: on.user, depositor, amount: 1n, id })
    ])
    assert.strictEqual(await lamportsOf(on, Depository.vault), floor + 1n)
    const expected = Buffer.concat([
      Result.getOrThrow(solanaAddresses.toBytes(depositor)),
      Buffer.from([0, 1, 0, 0, 0, 0, 0, 0, 0]),
      id
    ])
    assert.deepStrictEqual(eventOf(meta.logMessages), expected)
  })

  withFixture("of tokens are what the vault received, whatever a fee took", async (on) => {
    for (const [mint, received] of [[usdc, 1_000_001n], [feeToken, 990_000n]] as const) {
      const vaultAccount = await Depository.tokenAccount(Depository.vault, mint.address, mint.program)
      const deposit = await Depository.depositToken({
        sender: on.user,
        amount: 1_000_001n,
        id,
        mint: mint.address,
        tokenProgram: mint.program
      })
      for (const nth of [1n, 2n]) {
        const { meta } = await succeeds(on, on.user, [deposit])
        assert.strictEqual(await tokensOf(on, vaultAccount), received * nth)
        const event = eventOf(meta.logMessages)
        assert.strictEqual(event[32], 1)
        assert.strictEqual(event.readBigUInt64LE(65), received)
      }
    }
  })

  withFixture("are refused to whoever names other accounts", async (on) => {
    const native = Depository.depositNative({ sender: on.user, amount: 1_000_000n, id })
    const token = await Depository.depositToken({
      sender: on.user,
      amount: 1_000_000n,
      id,
      mint: usdc.address,
      tokenProgram: usdc.program
    })
    const foreignAccount = await Depository.tokenAccount(otherKey.address, usdc.address, usdc.program)
    // An account with the right bytes under the wrong program, and an account of the right program with other bytes.
    const fake = keyOfName("fake").address
    const real = on.solana.chain.bank.read(Depository.depository)!
    on.solana.chain.setAccount(fake, { ...real, owner: address("BPFLoader2111111111111111111111111111111111") })
    const twin = keyOfName("twin").address
    on.solana.chain.setAccount(twin, real)
    const unsigned = replaced(native, 1, otherKey.address, AccountRole.WRITABLE)
    const attacks: ReadonlyArray<readonly [string, Instruction, unknown]> = [
      ["another vault", replaced(native, 3, otherKey.address), 2006],
      ["another vault for tokens", replaced(token, 3, otherKey.address), 2006],
      ["a depository of another program", replaced(native, 0, fake), 3007],
      ["a depository at another address", replaced(native, 0, twin), 2006],
      ["no depository at all", replaced(native, 0, otherKey.address), 3007],
      ["a sender who has not signed", unsigned, 3010],
      ["a vault that is not writable", replaced(native, 3, Depository.vault, AccountRole.READONLY), 3006],
      ["another system program", replaced(native, 4, usdc.program), 3008],
      ["another token program", replaced(token, 7, otherKey.address), 6002],
      ["the other token program", replaced(token, 7, feeToken.program), 6001],
      ["a mint that is none", replaced(token, 4, otherKey.address), 6001],
      ["another's token account for the vault's", replaced(token, 6, foreignAccount), 6010],
      ["another's token account for the sender's", replaced(token, 5, foreignAccount), 2009],
      ["another program for associated accounts", replaced(token, 8, usdc.program), 3008],
      ["too few accounts", { ...native, accounts: native.accounts!.slice(0, 4) }, 3005],
      ["an amount of nothing", Depository.depositNative({ sender: on.user, amount: 0n, id }), 6014],
      ["bytes too many", { ...native, data: new Uint8Array([...native.data!, 0]) }, 102],
      ["bytes too few", { ...native, data: native.data!.slice(0, -1) }, 102],
      ["no instruction", { ...native, data: new Uint8Array(8) }, 101],
      ["nothing", { ...native, data: new Uint8Array() }, 101]
    ]
    for (const [name, instruction, code] of attacks) {
      assert.strictEqual(await failure(on, on.user, [instruction]), code, name)
    }
    assert.strictEqual(await lamportsOf(on, Depository.vault), floor)
  })
})

describe("the depository", () => {
  withFixture("is initialised once, by its own key, and its roles are the owner's to give", async (on) => {
    const { allocator, other, user } = on
    const again = Depository.initialize(user, user.address)
    assert.strictEqual(
      await failure(on, user, [{
        ...again,
        accounts: [...again.accounts!.slice(0, 5), { address: Depository.program, role: AccountRole.READONLY }]
      }]),
      3010
    )
    assert.strictEqual(await failure(on, user, [replaced(again, 5, user.address, AccountRole.READONLY_SIGNER)]), 6003)
    assert.strictEqual(await failure(on, user, [Depository.setAllocator(user, user.address)]), 6003)
    const byName = Depository.setAllocator(createNoopSigner(allocator.address), user.address)
    assert.strictEqual(await failure(on, user, [replaced(byName, 1, allocator.address, AccountRole.READONLY)]), 3010)
    await paidIn(on)
    await succeeds(on, allocator, [Depository.setAllocator(allocator, other.address)])
    assert.strictEqual(await failure(on, user, await executed(user, request())), 6004)
    await succeeds(on, user, await executed(user, request(), otherKey))
    await succeeds(on, allocator, [Depository.setOwner(allocator, user.address)])
    assert.strictEqual(await failure(on, allocator, [Depository.setAllocator(allocator, allocator.address)]), 6003)
    await succeeds(on, user, [Depository.setAllocator(user, allocator.address)])
  })
})

describe("withdrawals", () => {
  it("have the same bytes as the domain's", () => {
    for (const token of [undefined, usdc.address]) {
      const asked = request({ token, nonce: 7n })
      const withdrawal = {
        domain: `0x${Buffer.from(Depository.domain).toString("hex")}` as never,
        recipient: asked.recipient as never,
        token: token as never,
        amount: asked.amount,
        nonce: asked.nonce,
        expiration: asked.expiration,
        vault: Depository.vault as never
      }
      assert.strictEqual(
        Result.getOrThrow(encodeSolanaWithdrawal(withdrawal)),
        `0x${Buffer.from(Depository.requestBytes(asked)).toString("hex")}`
      )
      assert.strictEqual(
        Result.getOrThrow(solanaWithdrawalId(withdrawal)),
        `0x${Buffer.from(Depository.requestId(asked)).toString("hex")}`
      )
    }
  })

  withFixture("pay what the allocator has signed, to the unit, and leave a mark", async (on) => {
    await paidIn(on)
    const { other, user } = on
    const before = await lamportsOf(on, other.address)
    const asked = request()
    const { meta } = await succeeds(on, user, await executed(user, asked))
    assert.strictEqual(await lamportsOf(on, other.address), before + 1_000_000n)
    const mark = on.solana.chain.bank.read(await Depository.usedRequest(Depository.requestId(asked)))
    assert.strictEqual(mark?.owner, Depository.program)
    assert.deepStrictEqual([...mark!.data.subarray(8)], [1])
    assert.deepStrictEqual(eventOf(meta.logMessages).subarray(0, 121), Buffer.from(Depository.requestBytes(asked)))
    for (const [mint, arrived] of [[usdc, 500_000n], [feeToken, 495_000n]] as const) {
      const account = await Depository.tokenAccount(other.address, mint.address, mint.program)
      const held = await tokensOf(on, account)
      await succeeds(
        on,
        user,
        await executed(user, request({ token: mint.address, amount: 500_000n }), allocatorKey, mint.program)
      )
      assert.strictEqual(await tokensOf(on, account) - held, arrived)
    }
  })

  withFixture("are paid once, in time, from this vault, and to whom they are", async (on) => {
    await paidIn(on)
    const { solana, user } = on
    const asked = request()
    await succeeds(on, user, await executed(user, asked))
    const left = await lamportsOf(on, Depository.vault)
    const [, execute] = await executed(user, request({ nonce: 2n }))
    const ofToken = request({ nonce: 3n, token: usdc.address })
    const userAccount = await Depository.tokenAccount(userKey.address, usdc.address, usdc.program)
    const attacks: ReadonlyArray<readonly [string, ReadonlyArray<Instruction>, unknown]> = [
      ["the same again", await executed(user, asked), 6000],
      ["expired", await executed(user, request({ nonce: 4n, expiration: 1_000n })), 6008],
      ["expired before 1970", await executed(user, request({ nonce: 4n, expiration: -1n })), 6008],
      ["signed by somebody else", await executed(user, request({ nonce: 5n }), userKey), 6004],
      ["not signed at all", [execute], 6007],
      ["signed for something else", [(await executed(user, request({ nonce: 6n })))[0], execute], 6005],
      ["for another vault", await executed(user, request({ nonce: 7n, vault: userKey.address })), 6012],
      ["for another domain", await executed(user, request({ nonce: 8n, domain: new Uint8Array(32) })), 6013],
      ["of nothing", await executed(user, request({ nonce: 9n, amount: 0n })), 6014],
      ["of more than there is", await executed(user, request({ nonce: 10n, amount: left - floor + 1n })), 6011],
      ["to the vault itself", await executed(user, request({ nonce: 11n, recipient: Depository.vault })), 6009],
      ["to another recipient", [
        (await executed(user, request({ nonce: 2n })))[0],
        replaced(execute, 2, userKey.address)
      ], 6009],
      ["by an executor who has not signed", [
        (await executed(user, request({ nonce: 2n })))[0],
        replaced(execute, 1, otherKey.address, AccountRole.WRITABLE)
      ], 3010],
      ["with another mark", [
        (await executed(user, request({ nonce: 2n })))[0],
        replaced(execute, 7, await Depository.usedRequest(new Uint8Array(32)))
      ], 2006],
      ["with another sysvar", [
        (await executed(user, request({ nonce: 2n })))[0],
        replaced(execute, 8, userKey.address)
      ], 2012],
      [
        "with another vault",
        [(await executed(user, request({ nonce: 2n })))[0], replaced(execute, 3, userKey.address)],
        2006
      ],
      ["of a token to another's account", [
        (await executed(user, ofToken))[0],
        replaced((await executed(user, ofToken))[1], 5, userAccount)
      ], 2009],
      ["of another token", [
        (await executed(user, ofToken))[0],
        replaced((await executed(user, ofToken))[1], 4, feeToken.address)
      ], 6001],
      ["of a token out of another's account", [
        (await executed(user, ofToken))[0],
        replaced((await executed(user, ofToken))[1], 6, userAccount)
      ], 6010],
      ["of a token by another token program", [
        (await executed(user, ofToken))[0],
        replaced((await executed(user, ofToken))[1], 9, feeToken.program)
      ], 6001],
      ["of a token as if it were SOL", [(await executed(user, ofToken))[0], {
        ...execute,
        data: new Uint8Array([...execute.data!.slice(0, 8), ...Depository.requestBytes(ofToken).slice(0, 121)])
      }], 102]
    ]
    for (const [name, instructions, code] of attacks) {
      assert.strictEqual(await failure(on, user, instructions), code, name)
    }
    assert.strictEqual(await lamportsOf(on, Depository.vault), left)
    // The clock decides: at the expiration second it is too late.
    const soon = request({ nonce: 12n, expiration: 4_000_000_000n })
    await Effect.runPromise(solana.setTime(4_000_000_000))
    assert.strictEqual(await failure(on, user, await executed(user, soon)), 6008)
  })

  withFixture(
    "are proven by a plain signature in the instruction before, and by nothing that looks like one",
    async (on) => {
      await paidIn(on)
      const { user } = on
      const asked = request()
      const hash = Depository.requestId(asked)
      const [honest, execute] = await executed(user, asked)
      const other = keyOfName("anybody")
      const forged = Depository.verifySignature(other.address, other.sign(hash), hash)
      // Verifies the content of another instruction. The allocator's key is only placed here.
      const shown = new Uint8Array(honest.data!)
      shown.fill(7, 48, 112)
      for (const at of [4, 8, 14]) shown.set([0, 0], at)
      const pointing: Instruction = { ...honest, data: shown }
      assert.strictEqual(await failure(on, user, [forged, pointing, execute]), 6006)
      // A foreign signature follows the allocator's. Only the instruction directly before counts.
      assert.strictEqual(await failure(on, user, [honest, forged, execute]), 6004)
      assert.strictEqual(
        await failure(on, user, [
          honest,
          getTransferSolInstruction({ source: user, destination: user.address, amount: 1n }),
          execute
        ]),
        6007
      )
      assert.strictEqual(await failure(on, user, [execute, honest]), 6007)
      await succeeds(on, user, [forged, honest, execute])
    }
  )

  withFixture("cannot be hindered by lamports at the address of their mark", async (on) => {
    await paidIn(on)
    const { user } = on
    const asked = request()
    const mark = await Depository.usedRequest(Depository.requestId(asked))
    await succeeds(on, user, [getTransferSolInstruction({ source: user, destination: mark, amount: 900_000n })])
    await succeeds(on, user, await executed(user, asked))
    assert.strictEqual(await failure(on, user, await executed(user, asked)), 6000)
  })

  withFixture("do not go to an account that its owner has handed on", async (on) => {
    await paidIn(on)
    const { other, user } = on
    const account = await Depository.tokenAccount(other.address, usdc.address, usdc.program)
    await succeeds(on, other, [
      getSetAuthorityInstruction({
        owned: account,
        owner: other,
        authorityType: AuthorityType.AccountOwner,
        newAuthority: user.address
      })
    ])
    assert.strictEqual(await failure(on, user, await executed(user, request({ token: usdc.address }))), 6009)
  })

  withFixture("leave nothing behind when they fail: what was refused can be paid later", async (on) => {
    const { client: { send }, user } = on
    const asked = request({ amount: 40_000_000n })
    assert.strictEqual(await failure(on, user, await executed(user, asked)), 6011)
    assert.isUndefined(on.solana.chain.bank.read(await Depository.usedRequest(Depository.requestId(asked))))
    await paidIn(on)
    await succeeds(on, user, await executed(user, asked))
    const error = await send(user, await executed(user, asked)).catch((cause: unknown) => cause)
    assert.isTrue(isSolanaError(error))
  })
})
