// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Depository} from "./Depository.sol";

/// @title DepositAddress: what every deposit address does when its factory says so, and all that it can do
/// @notice The one implementation behind the proxies of {DepositAddresses}, made in that one's constructor. A proxy
/// delegates here when its factory calls, and takes money and does nothing when anybody else does.
/// SECURITY: it has no storage, no initializer, no selfdestruct and no delegatecall; its one way to pay is a deposit.
/// The factory names the depository, and has only one.
contract DepositAddress {
    using SafeERC20 for IERC20;

    error NotTheFactory();

    /// @dev An immutable stands in the code, so every proxy shares it.
    address private immutable FACTORY;

    constructor() {
        FACTORY = msg.sender;
    }

    /// @notice Deposits `amount` of `currency` (zero for the native one) for `depositor`, with this id.
    /// SECURITY: the allowance is exact, and zero afterwards whatever the token made of it: what is allowed to a
    /// depository is its allocator's to take.
    function deposit(
        Depository depository,
        address depositor,
        bytes32 id,
        address currency,
        uint256 amount
    ) external {
        require(msg.sender == FACTORY, NotTheFactory());
        if (currency == address(0)) {
            depository.depositNative{value: amount}(depositor, id);
            return;
        }
        IERC20 token = IERC20(currency);
        token.forceApprove(address(depository), amount);
        depository.depositErc20(depositor, currency, amount, id);
        if (token.allowance(address(this), address(depository)) > 0) token.forceApprove(address(depository), 0);
    }
}
