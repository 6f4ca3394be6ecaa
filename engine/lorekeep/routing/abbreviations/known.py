"""Well-known abbreviations, some with their spelled-out form."""

import re

# Known abbreviations, recognised in lower case and by spelled-out forms that have other initials.
KNOWN = {
    code: spelled
    for code, _, spelled in (
        entry.strip().partition(" ")
        for entry in """ceo chief executive officer; cfo chief financial officer; cto chief technology officer; coo chief operating officer
        cio chief information officer; cmo chief marketing officer; cpo chief product officer; cro chief revenue officer; cso; chro; ciso
        hr human resources; pr public relations; vat value added tax; vpn virtual private network; gst; gdp; vp vice president; vip; faq; url; api; sdk; sla service level agreement; kpi; roi
        hq headquarters; dpo data protection officer; dns; dhcp; ssh; ssl; tls; ftp; http; https; smtp; imap; lan; wlan; usb; hdmi; cpu; gpu; ssd; hdd; pdf; csv; sql; xml; json; html; css
        ux; qa; rnd; eta; eod; poc; nda; ipo; llc; gmbh; iban; bic; swift; pto paid time off; wfh work from home; rsvp; diy; atm; gps; gdpr; ndas; crm; erp; cms
        bbc; cnn; nba; fbi; cia; nasa; icu; mri; ekg; ecg; gp; dob; ssn; ein; tin; rfp; rfq; bom; sku; oem; sso single sign-on; mfa; otp; aws; gcp
        """.replace("\n", ";").split(";")
        if entry.strip()
    )
}

_SPELLED = {code: spelled for code, spelled in KNOWN.items() if spelled} | {"r&d": "research and development"}
_SPELLED_PATTERN = re.compile(
    rf"\b(?:{'|'.join(map(re.escape, sorted(_SPELLED, key=len, reverse=True)))})\b", re.IGNORECASE
)


def spelled_out(text: str) -> str:
    """The text with known abbreviations spelled out: "Who is the CTO?" asks for the chief technology officer."""
    return _SPELLED_PATTERN.sub(lambda found: _SPELLED[found[0].lower()], text)
