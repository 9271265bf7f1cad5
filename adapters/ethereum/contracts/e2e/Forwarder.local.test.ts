/** The Forwarder on a chain: what each kind of signature deposits, and every case that must deposit nothing. */
import { assert, beforeEach, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Address, Hex } from "viem"
import { concat, encodeDeployData, encodeFunctionData, erc20Abi, getAddress, parseSignature } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { depositsOf, payersOf } from "../../../../src/domain/families/ethereum/evidence/Deposits.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { permitSpender } from "../../../../src/domain/permit/PermitSpender.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { alpha } from "../../../../src/domain/quote/testing/Chains.ts"
import { depositsIn } from "../../watch/Deposits.ts"
import { evmTransaction } from "../../decode/EvmTransaction.ts"
import { abilityOf } from "../../quote/PermitTokens.ts"
import { PERMIT_GAS } from "../../pay/PermitTransaction.ts"
import { abi } from "../artifacts/Forwarder.ts"
import { abi as depositoryAbi } from "../artifacts/Depository.ts"
import { abi as hollowAbi, bytecode as hollowCode } from "../artifacts/HollowToken.ts"
import { abi as oddAbi, bytecode as oddCode } from "../artifacts/OddToken.ts"
import { abi as oldAbi, bytecode as oldCode } from "../artifacts/OldPermitToken.ts"
import { abi as puppetAbi } from "../artifacts/Puppet.ts"
import { abi as daiAbi, bytecode as daiCode } from "../artifacts/TestDAI.ts"
import { account, callOf, deployForwarder, sign } from "../testing/Permits.ts"
import type { Signed } from "../testing/Permits.ts"
import { event, eventsOf, PERMIT2, useFixture } from "../testing/Fixture.ts"

const fixture = useFixture(616179)
const wallet = privateKeyToAccount(generatePrivateKey())
const ORDER: Hex = `0x${"0d".repeat(32)}`
const OTHER: Hex = `0x${"0e".repeat(32)}`
const AMOUNT = 5_000000n
const LATER = 4_000_000_000

let forwarder: Address
let dai: Address

beforeEach(async () => {
  forwarder = await deployForwarder(fixture())
  dai = await fixture().create(fixture().deployer, daiCode)
  for (const token of [fixture().usdc, fixture().usdt, dai]) await fixture().mint(token, wallet.address, 100_000000n)
  await fixture().client.setBalance({ address: wallet.address, value: 10n ** 18n })
})

const usdcDomain = { name: "USD Coin", version: "2" }
const kinds = ["eip3009", "permit2", "eip2612"] as const

const signedFor = (kind: Signed["kind"], changes: Partial<Signed> = {}): Signed => {
  const common = { kind, owner: wallet.address, amount: AMOUNT, orderId: ORDER, deadline: LATER }
  const of = {
    eip3009: { token: fixture().usdc, domain: usdcDomain },
    permit2: { token: fixture().usdt, domain: { name: "Permit2" } },
    eip2612: { token: dai, domain: { name: "Local Dai", version: "1" }, nonce: 0n }
  }[kind]
  return { ...common, ...of, ...changes }
}

/** The owner's own transaction that lets Permit2 take the amount. */
const allow = async (token: Address, spender: Address, amount = AMOUNT) => {
  const { client } = fixture()
  await client.impersonateAccount({ address: wallet.address })
  await fixture().send(
    wallet.address,
    token,
    encodeFunctionData({ abi: [erc20Approve], functionName: "approve", args: [spender, amount] })
  )
  await client.stopImpersonatingAccount({ address: wallet.address })
}
/** USDT's `approve` returns nothing. */
const erc20Approve = {
  type: "function",
  name: "approve",
  stateMutability: "nonpayable",
  inputs: [{ name: "spender", type: "address" }, { name: "amount", type: "uint256" }],
  outputs: []
} as const

const signatureOf = (signed: Signed) => sign(wallet, fixture(), forwarder, signed)
const dataOf = async (signed: Signed) => callOf(signed, await signatureOf(signed))
const submit = async (signed: Signed) => fixture().send(fixture().stranger, forwarder, await dataOf(signed))
const refusalOf = (data: Hex) => fixture().refusal(fixture().stranger, forwarder, data)
const balance = (token: Address, of: Address) => fixture().balance(token, of)
const allowance = (token: Address, owner: Address, spender: Address) =>
  fixture().client.readContract({ address: token, abi: erc20Abi, functionName: "allowance", args: [owner, spender] })

/** A signature that can be executed. */
const ready = async (kind: Signed["kind"], changes: Partial<Signed> = {}): Promise<Signed> => {
  const signed = signedFor(kind, changes)
  if (kind === "permit2" && (await allowance(signed.token, wallet.address, PERMIT2)) === 0n) {
    await allow(signed.token, PERMIT2)
  }
  return signed
}

describe("the Forwarder", () => {
  for (const kind of kinds) {
    it(`${kind}: anyone can submit it; all of it is deposited for the owner and the order, and nothing stays`, async () => {
      const signed = await ready(kind)
      const receipt = await submit(signed)
      const { depository } = fixture()
      assert.includeMembers([...eventsOf(receipt)], [
        event("Transfer", forwarder, depository, AMOUNT),
        event("RelayErc20Deposit", wallet.address, signed.token, AMOUNT, ORDER)
      ])
      assert.strictEqual(await balance(signed.token, depository), AMOUNT)
      assert.strictEqual(await balance(signed.token, forwarder), 0n)
      assert.strictEqual(await allowance(signed.token, forwarder, depository), 0n)
      const transaction = evmTransaction(
        await fixture().client.getTransaction({ hash: receipt.transactionHash }),
        receipt
      )
      const deposits = depositsOf(transaction, account(depository))
      assert.deepStrictEqual(deposits.map(({ amount, depositId, depositor }) => ({ amount, depositId, depositor })), [
        { amount: AMOUNT, depositId: OrderId.make(ORDER), depositor: account(wallet.address) }
      ])
      assert.strictEqual(payersOf(transaction).get(deposits[0]?.index ?? -1), account(forwarder))
      assert.isBelow(Number(receipt.gasUsed), Number(PERMIT_GAS[kind]))
    })

    it(`${kind}: works once, for this order, amount, owner and token, and in time`, async () => {
      const signed = await ready(kind)
      const signature = await signatureOf(signed)
      for (
        const change of [{ orderId: OTHER }, { amount: AMOUNT + 1n }, { amount: 1n }, { owner: fixture().user }, {
          deadline: LATER + 1
        }]
      ) {
        await refusalOf(callOf({ ...signed, ...change }, signature))
      }
      const stolen = await sign(privateKeyToAccount(generatePrivateKey()), fixture(), forwarder, signed)
      await refusalOf(callOf(signed, stolen))
      const late = await ready(kind, { deadline: 1_000_000 })
      await refusalOf(await dataOf(late))
      await submit(signed)
      if (kind === "permit2") await allow(signed.token, PERMIT2)
      await refusalOf(callOf(signed, signature))
      assert.strictEqual(await balance(signed.token, fixture().depository), AMOUNT)
    })

    it(`${kind}: another contract cannot use a permit signed for this one`, async () => {
      const signed = await ready(kind)
      const data = await dataOf(signed)
      const another = await deployForwarder(fixture())
      assert.notStrictEqual(another, forwarder)
      await fixture().refusal(fixture().stranger, another, data)
      if (kind !== "eip3009") return
      const { r, s, yParity } = parseSignature(await signatureOf(signed))
      const receive = encodeFunctionData({
        abi: [{
          type: "function",
          name: "receiveWithAuthorization",
          stateMutability: "nonpayable",
          inputs: ["address", "address", "uint256", "uint256", "uint256", "bytes32", "uint8", "bytes32", "bytes32"].map(
            (type, index) => ({ name: `a${index}`, type })
          ),
          outputs: []
        }] as const,
        functionName: "receiveWithAuthorization",
        args: [wallet.address, forwarder, AMOUNT, 0n, BigInt(LATER), ORDER, 27 + yParity, r, s]
      })
      // Sent directly to the token, it would leave the money in the Forwarder. The token checks its caller.
      await fixture().refusal(fixture().stranger, signed.token, receive)
    })
  }

  it("is recorded as deposited through it, even if the chain is configured with another Forwarder now", async () => {
    const receipt = await submit(await ready("eip3009"))
    const { permits: _, ...chain } = {
      ...alpha,
      id: ChainId.make(fixture().chainId),
      depository: account(fixture().depository)
    }
    for (const configured of [chain, { ...chain, permits: { forwarder: account(fixture().thief) } }]) {
      const found = await depositsIn(fixture().client, configured, receipt.transactionHash)
      assert.deepStrictEqual(found?.map((each) => [each.sender, each.depositor, each.forwarder]), [[
        account(fixture().stranger),
        account(wallet.address),
        account(forwarder)
      ]])
    }
    // A deposit by its own sender came through no forwarder.
    const { depository, send, usdc, user } = fixture()
    await send(
      user,
      usdc,
      encodeFunctionData({ abi: [erc20Approve], functionName: "approve", args: [depository, AMOUNT] })
    )
    const own = await send(
      user,
      depository,
      encodeFunctionData({ abi: depositoryAbi, functionName: "depositErc20", args: [user, usdc, AMOUNT, ORDER] })
    )
    assert.deepStrictEqual(
      (await depositsIn(fixture().client, chain, own.transactionHash))?.map((each) => each.forwarder),
      [undefined]
    )
  })

  it("a token with other permits is deposited by Permit2", async () => {
    const { client, chainId, create, deployer, usdc, usdt } = fixture()
    const chain = {
      ...alpha,
      id: ChainId.make(chainId),
      permits: { forwarder: account(forwarder), permit2: account(PERMIT2) }
    }
    const kindOf = async (token: Address) => (await abilityOf(client, chain, account(token)))?.kind
    const made = (old: boolean) => create(deployer, encodeDeployData({ abi: oldAbi, bytecode: oldCode, args: [old] }))
    assert.deepStrictEqual(
      [
        await kindOf(usdc),
        await kindOf(usdt),
        await kindOf(dai),
        await kindOf(await made(false)),
        await kindOf(await made(true))
      ],
      ["eip3009", "permit2", "eip2612", "eip2612", "permit2"]
    )
  })

  it("tokens left in it belong to nobody and enter no deposit", async () => {
    const signed = await ready("eip3009")
    await fixture().mint(signed.token, forwarder, 7n)
    const receipt = await submit(signed)
    assert.include(eventsOf(receipt), event("RelayErc20Deposit", wallet.address, signed.token, AMOUNT, ORDER))
    assert.strictEqual(await balance(signed.token, forwarder), 7n)
  })

  it("a token that accepts every call and does nothing deposits nothing, not even tokens left here", async () => {
    const { create, deployer, mint, stranger, weth } = fixture()
    const hollow = await create(deployer, hollowCode)
    await mint(hollow, forwarder, 100n)
    for (const token of [hollow, weth]) {
      for (const kind of ["eip3009", "eip2612"] as const) {
        const signed = signedFor(kind, { token, amount: 50n })
        const why = await fixture().refusal(stranger, forwarder, await dataOf(signed))
        assert.include(["NothingArrived", "ERC20InsufficientAllowance", "TooLittle", "(no reason)"], why)
      }
    }
    assert.strictEqual(await balance(hollow, forwarder), 100n)
  })

  it("a token that calls back cannot enter twice", async () => {
    const { client, create, deployer, send, stranger } = fixture()
    const hollow = await create(deployer, hollowCode)
    const real = await ready("eip3009")
    await send(
      stranger,
      hollow,
      encodeFunctionData({ abi: hollowAbi, functionName: "teach", args: [forwarder, await dataOf(real)] })
    )
    await send(stranger, forwarder, await dataOf(signedFor("eip3009", { token: hollow })))
    assert.strictEqual(await balance(hollow, fixture().depository), 1n)
    assert.isFalse(await client.readContract({ address: hollow, abi: hollowAbi, functionName: "succeeded" }))
    assert.strictEqual(await balance(real.token, fixture().depository), 0n)
    // The call came from a token; that is the only reason for the refusal.
    await client.call({ account: stranger, to: forwarder, data: await dataOf(real) })
  })

  it("EIP-2612: a permit that was submitted before still deposits, and nobody else can use its allowance", async () => {
    const { send, stranger, thief } = fixture()
    const signed = signedFor("eip2612")
    const signature = await signatureOf(signed)
    const { r, s, yParity } = parseSignature(signature)
    const spender = await fixture().client.readContract({
      address: forwarder,
      abi,
      functionName: "spenderOf",
      args: [{ ...signed, deadline: BigInt(LATER) }]
    })
    await send(
      thief,
      dai,
      encodeFunctionData({
        abi: daiAbi,
        functionName: "permit",
        args: [wallet.address, spender, AMOUNT, BigInt(LATER), 27 + yParity, r, s]
      })
    )
    for (const change of [{ orderId: OTHER }, { amount: 1n }, { deadline: LATER - 1 }]) {
      await fixture().refusal(thief, forwarder, callOf({ ...signed, ...change }, signature))
    }
    // Any signature passes now, because the owner's allowance exists.
    const receipt = await send(stranger, forwarder, callOf(signed, `0x${"11".repeat(64)}1b`))
    assert.include(eventsOf(receipt), event("RelayErc20Deposit", wallet.address, dai, AMOUNT, ORDER))
    assert.strictEqual(await allowance(dai, wallet.address, spender), 0n)
    assert.strictEqual(await fixture().client.getCode({ address: spender }) === undefined, false)
  })

  it("EIP-2612: a remaining allowance cannot be used after the deadline", async () => {
    const { client, send, thief } = fixture()
    const soon = Number((await client.getBlock()).timestamp) + 100
    const signed = signedFor("eip2612", { deadline: soon })
    const signature = await signatureOf(signed)
    const { r, s, yParity } = parseSignature(signature)
    const spender = await client.readContract({
      address: forwarder,
      abi,
      functionName: "spenderOf",
      args: [{ ...signed, deadline: BigInt(soon) }]
    })
    await send(
      thief,
      dai,
      encodeFunctionData({
        abi: daiAbi,
        functionName: "permit",
        args: [wallet.address, spender, AMOUNT, BigInt(soon), 27 + yParity, r, s]
      })
    )
    await client.increaseTime({ seconds: 200 })
    await client.mine({ blocks: 1 })
    assert.strictEqual(await fixture().refusal(thief, forwarder, callOf(signed, signature)), "PermitExpired")
  })

  it("the spender of a permit is the domain's too", async () => {
    for (let index = 1; index <= 20; index += 1) {
      const permitted = {
        owner: wallet.address,
        token: fixture().usdc,
        amount: BigInt(index) ** 20n,
        orderId: `0x${index.toString(16).padStart(64, "0")}` as const,
        deadline: BigInt(index * 1_000_003)
      }
      const told = await fixture().client.readContract({
        address: forwarder,
        abi,
        functionName: "spenderOf",
        args: [permitted]
      })
      const computed = permitSpender(account(forwarder), {
        ...permitted,
        owner: account(wallet.address),
        token: account(fixture().usdc),
        orderId: OrderId.make(permitted.orderId),
        deadline: Number(permitted.deadline)
      })
      assert.strictEqual(getAddress(Result.getOrThrow(computed)), told)
    }
  })

  it("only an account without code may call, so nobody can add another deposit to a permit they have seen", async () => {
    const { client, played, puppet, send, stranger, teach, thief } = fixture()
    for (const kind of kinds) {
      const signed = await ready(kind)
      const data = await dataOf(signed)
      await teach([{ to: forwarder, data }])
      await send(thief, puppet, encodeFunctionData({ abi: puppetAbi, functionName: "play", args: [] }))
      assert.deepStrictEqual(await played(), { succeeded: 0n, failed: 1n, reason: "NotAnAccount" })
      assert.strictEqual(await balance(signed.token, fixture().depository), 0n)
      // An account that has delegated to a contract (EIP-7702) counts as a contract, even when it sends the transaction
      // itself.
      await client.setCode({ address: stranger, bytecode: concat(["0xef0100", puppet]) })
      assert.strictEqual(await refusalOf(data), "NotAnAccount")
      await client.setCode({ address: stranger, bytecode: "0x" })
      await send(stranger, forwarder, data)
      assert.strictEqual(await balance(signed.token, fixture().depository), AMOUNT)
    }
  })

  it("a token that takes a fee deposits nothing: the depository must hold what the event says", async () => {
    const { create, deployer, mint } = fixture()
    for (const [fee, taken] of [[100n, false], [0n, true]] as const) {
      const odd = await create(deployer, encodeDeployData({ abi: oddAbi, bytecode: oddCode, args: [fee] }))
      await mint(odd, wallet.address, AMOUNT)
      const signed = await ready("permit2", { token: odd, orderId: taken ? OTHER : ORDER })
      if (taken) await submit(signed)
      else assert.strictEqual(await refusalOf(await dataOf(signed)), "NotDeposited")
      assert.strictEqual(await balance(odd, fixture().depository), taken ? AMOUNT : 0n)
    }
  })

  it("takes no native currency", async () => {
    await fixture().refusal(fixture().user, forwarder, "0x", 1n)
  })
})
