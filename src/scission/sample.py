"""A text with a little of everything that a document may hold."""

#: A little of everything: headings, quotes, abbreviations, a fence, a list, other scripts.
SAMPLE = (
    "# Ships\n\nThe harbour lay still. Three ships came in at dawn, \u201claden with salt\u201d; their "
    "sails hung low. The crews slept.\n\nBread rises when yeast feeds on sugar. The oven must be hot. "
    "Bakers start early, e.g. at 3 a.m., and sell out by noon.\n\n```\ncode\n```\n\n- r\u00e9sum\u00e9 "
    "of antidisestablishmentarianism \u6d77\u306e\u8239\u3002\n"
)
