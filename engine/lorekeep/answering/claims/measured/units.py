"""Units of measures."""

# Kind of measure of each unit, and its size in the base unit, which has size 1.
UNITS: dict[str, tuple[str, float]] = {}
for _line in (
    "time: second 1 sec 1 minute 60 min 60 hour 3600 hr 3600 h 3600 day 86400 night 86400 week 604800 fortnight 1209600 month 2629800 year 31557600 yr 31557600 decade 315576000",
    "money: £ 1 pound 1 quid 1 € 1 euro 1 $ 1 dollar 1 buck 1 franc 1 chf 1 eur 1 usd 1 gbp 1 crown 1 florin 1 krone 1 kroner 1 krona 1 peso 1 rupee 1 yen 1 lira 1 zloty 1 shilling 1 thaler 1 guilder 1 pence 0.01 p 0.01 cent 0.01 ct 0.01",
    "data: kb 1 mb 1000 gb 1000000 tb 1000000000 gigabyte 1000000 megabyte 1000 terabyte 1000000000 gig 1000000",
    "weight: mg 0.001 g 1 gram 1 gramme 1 kg 1000 kilo 1000 kilogram 1000 t 1000000 tonne 1000000 ton 1000000 lb 453.6 oz 28.35",
    "length: mm 1 millimetre 1 millimeter 1 cm 10 centimetre 10 centimeter 10 m 1000 metre 1000 meter 1000 km 1000000 kilometre 1000000 kilometer 1000000 mile 1609000 foot 304.8 feet 304.8 ft 304.8 inch 25.4 inche 25.4",
    "volume: ml 1 cl 10 litre 1000 liter 1000 l 1000",
    "share: % 1 percent 1",
    "heat: degree 1 °c 1 °f 1 ° 1 c 1",
    "power: w 1 watt 1 kw 1000 kilowatt 1000",
    "speed: km/h 1 kph 1 mph 1.609 mbit 1 mbit/s 1",
):  # fmt: skip
    _kind, _, _names = _line.partition(": ")
    _parts = _names.split()
    UNITS |= {name: (_kind, float(size)) for name, size in zip(_parts[::2], _parts[1::2], strict=True)}
