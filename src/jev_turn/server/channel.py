"""The size of what comes over a WebRTC call's data channel."""

from __future__ import annotations

from aiortc import RTCDataChannel
from loguru import logger
from pipecat.transports.smallwebrtc.connection import SmallWebRTCConnection

_FITS = "fits"


def limit_messages(connection: SmallWebRTCConnection, most: int) -> None:
    """Close a connection that sends a longer message than it may; the bot never sees that one.

    A connection that is made anew for the same call has to be limited anew.

    Args:
        connection: Of a call, before its channel is open.
        most: Longest message, bytes.
    """

    @connection.pc.on("datachannel")
    def limit(channel: RTCDataChannel) -> None:
        # Pipecat has put its reader on the channel just now; it reads what fits from here.
        for reader in channel.listeners("message"):
            channel.remove_listener("message", reader)
            channel.on(_FITS, reader)

        @channel.on("message")
        async def read(message: str | bytes) -> None:
            length = len(message.encode() if isinstance(message, str) else message)
            if length <= most:
                channel.emit(_FITS, message)
                return
            logger.warning(f"a WebRTC message of {length} bytes closes its connection")
            await connection.disconnect()  # type: ignore[no-untyped-call]
