import { assert, describe, it } from "@effect/vitest"
import type { Address, Hex } from "viem"
import { encodeFunctionData, getAddress, maxUint256, parseSignature, zeroAddress } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { abi as usdcAbi } from "../artifacts/TestUSDC.ts"
import { abi as usdtAbi } from "../artifacts/TestUSDT.ts"
import { abi as wethAbi } from "../artifacts/TestWETH.ts"
import { event, eventsOf, useFixture, word } from "../testing/Fixture.ts"

const fixture = useFixture()
const holder = privateKeyToAccount(generatePrivateKey())
const ALICE: Address = "0x00000000000000000000000000000000000000a1"

const vrs = (signature: Hex) => {
  const { r, s, yParity } = parseSignature(signature)
  return [27 + yParity, r, s] as const
}
/** As a wallet that knows USDC builds it, not as the contract reports it. */
const domain = () => ({
  name: "USD Coin",
  version: "2",
  chainId: fixture().chainId,
  verifyingContract: getAddress(fixture().usdc)
})

describe("TestUSDC", () => {
  it("has USDC's name, decimals and domain", async () => {
    const { client, usdc } = fixture()
    const token = { address: usdc, abi: usdcAbi } as const
    assert.strictEqual(await client.readContract({ ...token, functionName: "decimals" }), 6)
    assert.strictEqual(await client.readContract({ ...token, functionName: "symbol" }), "USDC")
    assert.strictEqual(await client.readContract({ ...token, functionName: "version" }), "2")
    const told = await client.getEip712Domain({ address: usdc })
    assert.deepStrictEqual(told.domain, { ...domain(), salt: `0x${"00".repeat(32)}` })
  })

  it("EIP-2612: a permit allows once, for its owner's signature, in time", async () => {
    const { client, usdc, stranger, send, refusal } = fixture()
    const permit = async (deadline: bigint, nonce: bigint, signer = holder) => {
      const message = { owner: holder.address, spender: ALICE, value: 5n, nonce, deadline }
      const signature = await signer.signTypedData({
        domain: domain(),
        primaryType: "Permit",
        types: {
          Permit: [
            { name: "owner", type: "address" },
            { name: "spender", type: "address" },
            { name: "value", type: "uint256" },
            { name: "nonce", type: "uint256" },
            { name: "deadline", type: "uint256" }
          ]
        },
        message
      })
      return encodeFunctionData({
        abi: usdcAbi,
        functionName: "permit",
        args: [holder.address, ALICE, 5n, deadline, ...vrs(signature)]
      })
    }
    assert.strictEqual(await refusal(stranger, usdc, await permit(1n, 0n)), "PermitExpired")
    const foreign = privateKeyToAccount(generatePrivateKey())
    assert.strictEqual(await refusal(stranger, usdc, await permit(maxUint256, 0n, foreign)), "PermitNotSignedByOwner")
    const good = await permit(maxUint256, 0n)
    await send(stranger, usdc, good)
    assert.strictEqual(await refusal(stranger, usdc, good), "PermitNotSignedByOwner")
    const args = [holder.address, ALICE] as const
    assert.strictEqual(await client.readContract({ address: usdc, abi: usdcAbi, functionName: "allowance", args }), 5n)
  })

  describe("EIP-3009", () => {
    const fields = [
      { name: "from", type: "address" },
      { name: "to", type: "address" },
      { name: "value", type: "uint256" },
      { name: "validAfter", type: "uint256" },
      { name: "validBefore", type: "uint256" },
      { name: "nonce", type: "bytes32" }
    ] as const
    const LATE = 4_000_000_000n

    const authorize = async (
      kind: "TransferWithAuthorization" | "ReceiveWithAuthorization",
      to: Address,
      nonce: Hex,
      validBefore = LATE
    ) => {
      const message = { from: holder.address, to, value: 5n, validAfter: 0n, validBefore, nonce }
      const types = { TransferWithAuthorization: fields, ReceiveWithAuthorization: fields }
      const signature = await holder.signTypedData({ domain: domain(), primaryType: kind, types, message })
      const args = [holder.address, to, 5n, 0n, validBefore, nonce, ...vrs(signature)] as const
      return kind === "TransferWithAuthorization"
        ? encodeFunctionData({ abi: usdcAbi, functionName: "transferWithAuthorization", args })
        : encodeFunctionData({ abi: usdcAbi, functionName: "receiveWithAuthorization", args })
    }

    it("transfers for anyone who submits it, receives only for the payee, each nonce once, in time", async () => {
      const { usdc, stranger, user, send, refusal, mint } = fixture()
      await mint(usdc, holder.address, 100n)
      const transfer = await authorize("TransferWithAuthorization", ALICE, word(1))
      const receive = await authorize("ReceiveWithAuthorization", user, word(2))
      const receipt = await send(stranger, usdc, transfer)
      assert.includeMembers([...eventsOf(receipt)], [event("Transfer", holder.address, ALICE, 5n)])
      assert.strictEqual(await refusal(stranger, usdc, transfer), "ERC3009UsedAuthorization")
      assert.strictEqual(await refusal(stranger, usdc, receive), "ERC20InvalidReceiver")
      await send(user, usdc, receive)
      const late = await authorize("TransferWithAuthorization", ALICE, word(3), 1n)
      assert.strictEqual(await refusal(stranger, usdc, late), "ERC3009InvalidAuthorizationTime")
    })

    it("an authorization can be cancelled", async () => {
      const { usdc, stranger, send, refusal, mint } = fixture()
      await mint(usdc, holder.address, 100n)
      const signature = await holder.signTypedData({
        domain: domain(),
        primaryType: "CancelAuthorization",
        types: { CancelAuthorization: [{ name: "authorizer", type: "address" }, { name: "nonce", type: "bytes32" }] },
        message: { authorizer: holder.address, nonce: word(4) }
      })
      const args = [holder.address, word(4), ...vrs(signature)] as const
      await send(stranger, usdc, encodeFunctionData({ abi: usdcAbi, functionName: "cancelAuthorization", args }))
      const transfer = await authorize("TransferWithAuthorization", ALICE, word(4))
      assert.strictEqual(await refusal(stranger, usdc, transfer), "ERC3009UsedAuthorization")
    })
  })
})

describe("TestUSDT", () => {
  it("returns nothing, and an allowance must go to zero before it changes", async () => {
    const { usdt, user, client, send, refusal } = fixture()
    const approve = (amount: bigint) =>
      encodeFunctionData({ abi: usdtAbi, functionName: "approve", args: [ALICE, amount] })
    await send(user, usdt, approve(5n))
    assert.strictEqual(await refusal(user, usdt, approve(6n)), "AllowanceNotZero")
    await send(user, usdt, approve(0n))
    await send(user, usdt, approve(6n))
    const transfer = encodeFunctionData({ abi: usdtAbi, functionName: "transfer", args: [ALICE, 1n] })
    assert.isUndefined((await client.call({ account: user, to: usdt, data: transfer })).data)
    assert.strictEqual(await client.readContract({ address: usdt, abi: usdtAbi, functionName: "decimals" }), 6)
  })
})

describe("TestWETH", () => {
  it("wraps and unwraps one for one, without Transfer events", async () => {
    const { weth, user, send, balance, refusal } = fixture()
    const withdraw = encodeFunctionData({ abi: wethAbi, functionName: "withdraw", args: [3n] })
    assert.strictEqual(await refusal(user, weth, withdraw), "TooLittle")
    const receipt = await send(user, weth, "0x", 5n)
    assert.deepStrictEqual(eventsOf(receipt), [])
    assert.deepStrictEqual(eventsOf(await send(user, weth, withdraw)), [])
    assert.strictEqual(await balance(weth, user), 2n)
    assert.strictEqual(await balance(zeroAddress, weth), 2n)
  })
})
