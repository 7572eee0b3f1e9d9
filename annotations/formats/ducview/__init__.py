"""DUCView's pyramids (.pyr) and peer annotations (.pan).

    <pyramid>
     <startDocumentRegEx>--- .+</startDocumentRegEx>
     <text> <line>--- one</line> <line>Rain fell for days.</line> ... </text>
     <scu uid="1" label="It rained">
      <contributor label="Rain fell"> <part label="Rain fell" start="8" end="17"/> </contributor>
     </scu>
    </pyramid>

A text is its lines joined by line ends. Offsets count UTF-16 units, or code points if these fit more labels.
"""

from annotations.formats.ducview.reading import MAX_MOVED, MAX_TEXT_LENGTH, read, read_peer, read_pyramid
from annotations.formats.ducview.writing import find_losses, write_peer, write_pyramid
from annotations.formats.model.format import PyramidFormat

PYRAMID_SUFFIX, PEER_SUFFIX = ".pyr", ".pan"
FORMAT = PyramidFormat("ducview", "DUCView pyramids and peers", (PYRAMID_SUFFIX, PEER_SUFFIX))

__all__ = [
    "FORMAT",
    "MAX_MOVED",
    "MAX_TEXT_LENGTH",
    "PEER_SUFFIX",
    "PYRAMID_SUFFIX",
    "find_losses",
    "read",
    "read_peer",
    "read_pyramid",
    "write_peer",
    "write_pyramid",
]
