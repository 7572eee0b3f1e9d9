"""The style sheet by which the MMAX2 program shows a text: without one it opens no project.

MMAX2 runs the sheet over the words and gives it functions that say which markables begin and end at a word. The sheet
tells MMAX2 where each word is put, writes brackets that can be clicked around markables, and ends the lines.
"""

from collections.abc import Sequence

STYLE_FILE = "default_style.xsl"
HANDLES = (("opening", "addLeftMarkableHandle", "["), ("closing", "addRightMarkableHandle", "]"))


def style_lines(bracketed: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Return the lines of the sheet.

    bracketed: the levels whose markables have brackets; lines: those that end lines.
    """
    return [
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"',
        '    xmlns:mmax="org.eml.MMAX2.discourse.MMAX2DiscourseLoader">',
        '<xsl:output method="text" omit-xml-declaration="yes"/>',
        '<xsl:strip-space elements="*"/>',
        '<xsl:template match="word">',
        '<xsl:value-of select="mmax:registerDiscourseElement(@id)"/>',
        '<xsl:apply-templates select="mmax:getStartedMarkables(@id)" mode="opening"/>',
        '<xsl:value-of select="mmax:setDiscourseElementStart()"/>',
        '<xsl:value-of select="."/>',
        '<xsl:value-of select="mmax:setDiscourseElementEnd()"/>',
        '<xsl:apply-templates select="mmax:getEndedMarkables(@id)" mode="closing"/>',
        "<xsl:text> </xsl:text>",
        "</xsl:template>",
        '<xsl:template match="*" mode="opening"/>',
        '<xsl:template match="*" mode="closing"/>',
        *(
            f'<xsl:template match="*[@mmax_level=\'{level}\']" mode="{mode}">'
            f"<xsl:value-of select=\"mmax:{function}(@mmax_level, @id, '{sign}')\"/></xsl:template>"
            for level in bracketed
            for mode, function, sign in HANDLES
        ),
        *(
            f'<xsl:template match="*[@mmax_level=\'{level}\']" mode="closing"><xsl:text>&#10;</xsl:text></xsl:template>'
            for level in lines
        ),
        "</xsl:stylesheet>",
    ]
