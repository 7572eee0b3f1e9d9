"""DUCView's pyramids (.pyr) and peer annotations (.pan).

    <pyramid>
     <startDocumentRegEx>--- .+</startDocumentRegEx>
     <text> <line>--- one</line> <line>Rain fell for days.</line> ... </text>
     <scu uid="1" label="It rained">
      <contributor label="Rain fell"> <part label="Rain fell" start="8" end="17"/> </contributor>
     </scu>
    </pyramid>

A text is its lines joined by line ends; offsets count from its beginning, ends are exclusive. DUCView is a Java
program and counts UTF-16 units; so does what is written here. A file whose labels say that it counts code points is
read so. A peer annotation holds the pyramid and, for each SCU, what the peer says of it; uid 0 is for what the pyramid
does not have.

* A part says its words, without line ends. Where they do not stand at its offsets, it is moved to the only place in
  its summary, or in the text, where they do; where there are none or several, the file is refused.
* The expression that finds the headers of summaries is run by RE2 alone; see `syntax.headers.find_summaries`.
* Who coded is not in the file.
"""

from annotations.formats.ducview.reading import LONGEST_TEXT, MOST_MOVED, read, read_peer, read_pyramid
from annotations.formats.ducview.writing import find_losses, write_peer, write_pyramid
from annotations.formats.model.format import PyramidFormat

PYRAMID_SUFFIX, PEER_SUFFIX = ".pyr", ".pan"
FORMAT = PyramidFormat("ducview", "DUCView pyramids and peers", (PYRAMID_SUFFIX, PEER_SUFFIX))

__all__ = [
    "FORMAT",
    "LONGEST_TEXT",
    "MOST_MOVED",
    "PEER_SUFFIX",
    "PYRAMID_SUFFIX",
    "find_losses",
    "read",
    "read_peer",
    "read_pyramid",
    "write_peer",
    "write_pyramid",
]
